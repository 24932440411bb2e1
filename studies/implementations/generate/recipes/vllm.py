"""vLLM: the tables of its rotary layers and the slopes of ALiBi."""
import bare
import places
import torch

bare.package("vllm", "vllm.model_executor", "vllm.model_executor.layers", "vllm.model_executor.layers.rotary_embedding")


class Layer(torch.nn.Module):
    """Replaces CustomOp, which chooses the kernels of a device. The tables do not depend on it."""

    register = staticmethod(lambda name: lambda layer: layer)
    enabled = staticmethod(lambda: False)


bare.stand_in("vllm._aiter_ops", rocm_aiter_ops=None)
bare.stand_in("vllm.model_executor.custom_op", CustomOp=Layer)
bare.stand_in("vllm.logger", init_logger=lambda name: None)
bare.stand_in("vllm.platforms", current_platform=None)
bare.stand_in("vllm.utils")
bare.stand_in("vllm.utils.torch_utils", direct_register_custom_op=lambda *a, **b: None)
from vllm.model_executor.layers.rotary_embedding import common

common.ApplyRotaryEmb = lambda **settings: None
from vllm.model_executor.layers.rotary_embedding.base import RotaryEmbedding
from vllm.model_executor.layers.rotary_embedding.dynamic_ntk_scaling_rope import DynamicNTKScalingRotaryEmbedding
from vllm.model_executor.layers.rotary_embedding.llama3_rope import Llama3RotaryEmbedding
from vllm.model_executor.layers.rotary_embedding.ntk_scaling_rope import NTKScalingRotaryEmbedding
from vllm.model_executor.layers.rotary_embedding.yarn_scaling_rope import YaRNScalingRotaryEmbedding

PACKAGE = "vllm"
WITH = ["torch"]


def tensors():
    half, width = places.WIDTH // 2, places.WIDTH
    yield "positions", places.positions(), "where the tables are looked at", {}
    layers = (
        ("default", RotaryEmbedding, 10000, places.LONGEST, {}),
        ("llama3", Llama3RotaryEmbedding, 500000, places.LONGEST, {"scaling_factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "orig_max_position": 8192}),
        ("yarn", YaRNScalingRotaryEmbedding, 10000, 8192, {"scaling_factor": 16}),
        ("ntk", NTKScalingRotaryEmbedding, 10000, places.LONGEST, {"scaling_factor": 8.0}),
    )
    for name, layer, base, length, settings in layers:
        made = layer(width, width, length, base, True, dtype=torch.float32, **settings)
        yield (f"{name}-cos", made.cos_sin_cache[places.positions(), :half],
               f"{layer.__name__}(head_size, rotary_dim, max_position_embeddings, base, is_neox_style, dtype=float32).cos_sin_cache, first half of the columns",
               {"head_size": width, "rotary_dim": width, "max_position_embeddings": length, "base": base, **settings})
    made = RotaryEmbedding(width, width, places.LONGEST, 10000, True, dtype=torch.bfloat16)
    yield ("default-cos-bfloat16", made.cos_sin_cache[places.positions(), :half], "RotaryEmbedding(..., dtype=bfloat16).cos_sin_cache, first half of the columns",
           {"head_size": width, "rotary_dim": width, "max_position_embeddings": places.LONGEST, "base": 10000})
