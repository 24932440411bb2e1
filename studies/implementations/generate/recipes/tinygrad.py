"""tinygrad: the rotation of its language models, on the CPU."""
import os

os.environ.setdefault("DEV", "PYTHON")
import bare
import places
import torch

# The wheel lacks this module, which contains kernels of one GPU.
bare.stand_in("tinygrad.llm.kernels")
bare.stand_in("tinygrad.llm.kernels.amd", Linear=None, gated_delta_prefill=None, flash_attention=None, amd_custom_kernels_supported=None)
from tinygrad import Tensor
from tinygrad.llm.model import apply_rope, precompute_freqs_cis

PACKAGE = "tinygrad"
WITH = []

LENGTH = 1024


def tensors():
    half = places.WIDTH // 2
    inside = places.positions(LENGTH)
    q = places.vectors(len(inside))
    table = torch.from_numpy(precompute_freqs_cis(places.WIDTH, LENGTH).numpy())[inside]
    yield "positions", inside, "where the table is looked at", {}
    yield "q", q, "vectors before the rotation", {}
    yield "cos", table[:, :half], "precompute_freqs_cis(dim, end), first half of the columns", {"dim": places.WIDTH, "end": LENGTH}
    yield "sin", table[:, half:], "precompute_freqs_cis(dim, end), second half of the columns", {"dim": places.WIDTH, "end": LENGTH}
    yield "q-float32", torch.from_numpy(apply_rope(Tensor(q.numpy())[None, None], Tensor(table.numpy())).numpy())[0, 0], "apply_rope(x, freqs_cis)", {"dim": places.WIDTH}
