"""torch.compile accepts flex_attention with exported score_mod and mask_mod, and the result equals that of PyTorch
without it.

Usage: compiled_attention.py FARFIELD VENV
"""
import os
import shutil
import sys
import tempfile
import warnings

from attention import call
from libraries import SKIPPED, exported, go_where_installed

BATCH, HEADS, LENGTH, DIM, TRAINED = 2, 4, 48, 32, 20
TOLERANCE = 1e-5  # floats of size 1, summed over 48 keys in another order
SCHEMES = ["kerple-log", "t5"]  # two captured tensors; a captured table


def difference(program, scheme, folder, compiled):
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    flex = exported(program, scheme, "flex-attention", folder)
    torch.manual_seed(1)
    q, k, v = (torch.randn(BATCH, HEADS, LENGTH, DIM) for _ in range(3))
    settings = {"heads": HEADS, "length": LENGTH, "train_length": TRAINED, "weight": torch.randn(HEADS, 32)}
    score_mod = call(flex.make_score_mod, **settings)
    block_mask = create_block_mask(call(flex.make_mask_mod, **settings), BATCH, HEADS, LENGTH, LENGTH, device="cpu")
    with torch.no_grad():
        found = compiled(q, k, v, score_mod=score_mod, block_mask=block_mask)
        wanted = flex_attention(q, k, v, score_mod=score_mod, block_mask=block_mask)
    return (found - wanted).abs().max().item()


def main():
    program, venv = os.path.abspath(sys.argv[1]), sys.argv[2]
    go_where_installed("flex-attention", venv)
    compiler = shutil.which("g++")
    if not compiler:
        print("there is no g++ for torch.compile")
        return SKIPPED
    os.environ["CXX"] = compiler
    warnings.filterwarnings("ignore")  # that one of the two is not compiled
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        import torch
        from torch.nn.attention.flex_attention import flex_attention
        for scheme in SCHEMES:
            torch.compiler.reset()
            off = difference(program, scheme, folder, torch.compile(flex_attention, fullgraph=True))
            print(f"{scheme}: {off:.2g} off")
            is_good &= off <= TOLERANCE
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
