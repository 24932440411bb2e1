"""Compares FlexAttention's kernels, compiled for a CUDA device with exported score_mod and mask_mod, with attention in
doubles on the host, which is written out from the parts of the PyTorch export. Compares outputs, and gradients of
learned values.

Usage: exports.py FARFIELD [DEVICE [SCHEME...]]

Skipped without PyTorch or a device. With `cpu` as DEVICE nothing is compiled and only outputs are compared, to test the
script itself: FlexAttention has no gradients on the CPU.
"""
import os
import pathlib
import sys
import tempfile
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "export"))
from attention import call, written_out
from libraries import SKIPPED, exported

BATCH, HEADS, LENGTH, DIM, TRAINED = 2, 6, 384, 64, 128
TOLERANCE = 2e-5  # floats of size 1, and sums of 384 of them in another order
# The schemes whose export has its own score_mod or mask_mod.
SCHEMES = ["alibi", "alibi-rf-exp", "alibi-rf-gauss", "alibi-rf-reciprocal", "blockwise", "kerple-log", "kerple-power", "lex",
           "rotary-longrope", "rotary-yarn", "sandwich", "sandwich-smoothed", "sliding", "t5", "t5-bidirectional", "windowed"]


def differences(program, scheme, folder, device):
    """The largest differences of the output and of each gradient, relative to the largest value of each."""
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    attend = torch.compile(flex_attention, fullgraph=True) if device == "cuda" else flex_attention
    flex = exported(program, scheme, "flex-attention", folder)
    plain = exported(program, scheme, "torch", folder)
    has_gradients = device != "cpu"
    torch.manual_seed(1)
    shape = BATCH, HEADS, LENGTH, DIM
    drawn = [torch.randn(shape, dtype=torch.float64) for _ in range(4)]
    learned = {"weight": torch.randn(HEADS, 32, dtype=torch.float64), "r1": 0.5 + torch.rand(HEADS, dtype=torch.float64),
               "r2": 0.5 + torch.rand(HEADS, dtype=torch.float64)}
    numbers = {"heads": HEADS, "length": LENGTH, "train_length": TRAINED}

    def run(dtype, device, attention):
        def leaf(tensor):
            return tensor.to(device, dtype, copy=True).requires_grad_(has_gradients)

        q, k, v = map(leaf, drawn[:3])
        used = {name: leaf(each) for name, each in learned.items()}
        turned = q, k
        if hasattr(plain, "rotation"):
            turned = plain.rotate(q, k, *call(plain.rotation, positions=LENGTH, head_dim=DIM, dtype=dtype, device=device,
                                              **numbers))
        out = attention(*turned, v, {**numbers, **used, "dtype": dtype, "device": device})
        if has_gradients:
            (out * drawn[3].to(device, dtype)).sum().backward()
        gradients = {"q": q.grad, "k": k.grad, "v": v.grad, **{name: each.grad for name, each in used.items()}}
        return {"output": out, **{f"gradient of {name}": each for name, each in gradients.items() if each is not None}}

    def compiled(q, k, v, settings):
        score_mod = call(flex.make_score_mod, **settings) if hasattr(flex, "make_score_mod") else None
        mask_mod = call(flex.make_mask_mod, **settings)
        return attend(q, k, v, score_mod=score_mod, block_mask=create_block_mask(mask_mod, BATCH, HEADS, LENGTH, LENGTH,
                                                                                device=device))

    wanted = run(torch.float64, "cpu", lambda q, k, v, settings: written_out(plain, q, k, v, None, settings))
    found = run(torch.float32, device, compiled)
    if wanted.keys() != found.keys():
        raise AssertionError(f"{sorted(found)} instead of {sorted(wanted)}")
    return {name: ((found[name].double().cpu() - each).abs().max() / each.abs().max()).item()
            for name, each in wanted.items()}


def main():
    program = os.path.abspath(sys.argv[1])
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    schemes = sys.argv[3:] or SCHEMES
    if unknown := sorted(set(schemes) - set(SCHEMES)):
        print(f"no score_mod or mask_mod is tested of {', '.join(unknown)}; known: {', '.join(SCHEMES)}")
        return 2
    try:
        import torch
    except ImportError:
        print(f"PyTorch is not installed for {sys.executable}")
        return SKIPPED
    if device == "cuda" and not torch.cuda.is_available():
        print("there is no CUDA device")
        return SKIPPED
    warnings.filterwarnings("ignore")
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        for scheme in schemes:
            torch.compiler.reset()
            try:
                found = differences(program, scheme, folder, device)
            except Exception as error:  # PyTorch raises errors of any class; the other schemes are still checked
                print(f"FAILED {scheme}: {type(error).__name__}: {str(error)[:2000]}", flush=True)
                is_good = False
                continue
            holds = all(off <= TOLERANCE for off in found.values())
            print(f"{'ok    ' if holds else 'FAILED'} {scheme}: " + ", ".join(f"{name} {off:.2g}" for name, off in found.items()),
                  flush=True)
            is_good &= holds
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
