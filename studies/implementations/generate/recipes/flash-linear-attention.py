"""flash-linear-attention: the rotary tables of its models, on the CPU."""
import bare
import places
import torch

bare.package("fla", "fla.modules", "fla.modules.rotary", "fla.ops", "fla.ops.utils")
unchanged = lambda *arguments, **settings: lambda function: function
bare.stand_in("fla.backends", dispatch=unchanged)
bare.stand_in("fla.ops.utils", prepare_chunk_indices=None)
bare.stand_in("fla.utils", IS_AMD=False, autotune_cache_kwargs={}, get_multiprocessor_count=None, input_guard=lambda function: function)
from fla.modules.rotary.ops import RotaryEmbedding

PACKAGE = "flash-linear-attention"
WITH = ["fla-core", "torch"]

FORMATS = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def tensors():
    yield "positions", places.positions(), "where the tables are looked at", {}
    for name, dtype in FORMATS.items():
        module = RotaryEmbedding(places.WIDTH)
        module._update_cos_sin_cache(places.LONGEST, device=torch.device("cpu"), dtype=dtype)
        yield (f"cos-{name}", module._cos_cached[places.positions()], "RotaryEmbedding(dim), the table that forward() makes in the input's type",
               {"dim": places.WIDTH, "dtype": name, "seqlen": places.LONGEST})
