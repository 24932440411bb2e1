"""megatron-core: rotary angles, and T5's buckets."""
import bare
import places
import torch

bare.package("megatron", "megatron.core", "megatron.core.models", "megatron.core.models.common", "megatron.core.models.common.embeddings")


def unchanged(*arguments, **settings):
    """A decorator that returns the function unchanged."""
    return arguments[0] if arguments and callable(arguments[0]) else lambda function: function


bare.stand_in("megatron.core.parallel_state", get_context_parallel_group=lambda **settings: None)
bare.stand_in("megatron.core.utils", deprecate_inference_params=None, internal_api=unchanged, nvtx_decorator=unchanged)
for name in ("inference.contexts", "transformer.transformer_block", "transformer.transformer_config"):
    bare.stand_in(f"megatron.core.{name}", BaseInferenceContext=None, TransformerBlock=None, TransformerConfig=None)
from megatron.core.models.common.embeddings.relative_pos_embedding import RelativePositionEmbedding
from megatron.core.models.common.embeddings.rotary_pos_embedding import RotaryEmbedding

PACKAGE = "megatron-core"
WITH = ["torch"]

BUCKETS = {"num_buckets": 32, "max_distance": 128}


def tensors():
    yield "positions", places.positions(), "where the angles are looked at", {}
    for name, settings in (("default", {}), ("interpolated", {"seq_len_interpolation_factor": 4.0}), ("llama3", {"rotary_base": 500000, "rope_scaling": True})):
        module = RotaryEmbedding(places.WIDTH, 1.0, use_cpu_initialization=True, **settings)
        angles = module.get_freqs_non_repeated(places.LONGEST)[places.positions()]
        yield f"{name}-angle", angles, "RotaryEmbedding(kv_channels, 1.0, use_cpu_initialization=True).get_freqs_non_repeated(max_seq_len)", {"kv_channels": places.WIDTH, **settings}
    module = RelativePositionEmbedding.__new__(RelativePositionEmbedding)
    for name, bidirectional in (("decoder", False), ("encoder", True)):
        bucket = module._relative_position_bucket(-torch.arange(400), bidirectional=bidirectional, **BUCKETS)
        yield f"t5-{name}", bucket.float(), "RelativePositionEmbedding._relative_position_bucket(key - query)", {"bidirectional": bidirectional, "distances": 400, **BUCKETS}
    yield "weight", torch.arange(32.0), "the numbers of the buckets", {}
