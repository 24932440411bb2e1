"""Compares PyTorch's flex_attention with exported score_mod and mask_mod to attention written out from the parts of the
PyTorch export.

Usage: attention.py FARFIELD VENV
"""
import math
import os
import pathlib
import sys
import tempfile
import warnings

from libraries import exported, go_where_installed

BATCH, HEADS, LENGTH, DIM, TRAINED = 2, 4, 48, 24, 20
TOLERANCE = 1e-13  # doubles of size 1, summed over 48 keys
SCHEMES = ["alibi", "t5", "kerple-log", "rotary-yarn", "lex", "windowed", "keys-only"]
KEYS_ONLY = "[scheme.keys-only]\nextends = \"shaw\"\nrelative = { clip = 5, values = false }\n"


def known(function, settings):
    import inspect
    return {key: value for key, value in settings.items() if key in inspect.signature(function).parameters}


def call(function, *arguments, **settings):
    return function(*arguments, **known(function, settings))


def written_out(plain, q, k, v, vectors, settings):
    """softmax(temperature * (q . k + q . r) / sqrt(d) + bias) v over the visible keys."""
    import torch
    length, dim = q.shape[-2:]
    dot = q @ k.transpose(-1, -2)
    if hasattr(plain, "relative_scores"):
        dot = dot + plain.relative_scores(q, vectors, length)
    logits = dot / math.sqrt(dim)
    if hasattr(plain, "temperature"):
        logits = logits * call(plain.temperature, queries=length, **settings)[..., None]
    if hasattr(plain, "bias"):
        logits = logits + call(plain.bias, queries=length, keys=length, **settings)
    seen = call(plain.mask, queries=length, keys=length, **settings)
    return torch.softmax(logits.masked_fill(~seen, -math.inf), -1) @ v


def difference(program, scheme, folder, options):
    import torch
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    flex = exported(program, scheme, "flex-attention", folder, *options)
    plain = exported(program, scheme, "torch", folder, *options)
    torch.manual_seed(1)
    q, k, v = (torch.randn(BATCH, HEADS, LENGTH, DIM, dtype=torch.float64) for _ in range(3))
    vectors = torch.randn(6, DIM, dtype=torch.float64)
    settings = {"heads": HEADS, "length": LENGTH, "train_length": TRAINED, "dtype": torch.float64,
                "weight": torch.randn(HEADS, 32, dtype=torch.float64)}
    if hasattr(plain, "rotation"):
        q, k = plain.rotate(q, k, *call(plain.rotation, positions=LENGTH, head_dim=DIM, **settings))
    if hasattr(flex, "class_scores"):
        settings["scores"] = flex.class_scores(q, vectors)
    score_mod = call(flex.make_score_mod, **settings) if hasattr(flex, "make_score_mod") else None
    block_mask = create_block_mask(call(flex.make_mask_mod, **settings), BATCH, HEADS, LENGTH, LENGTH, device="cpu")
    found = flex_attention(q, k, v, score_mod=score_mod, block_mask=block_mask)
    return (found - written_out(plain, q, k, v, vectors, settings)).abs().max().item()


LEARNED = """
[scheme.learned]
learn = { u = { init = 3, positive = true } }
let = { near = "n < u" }
mask = "n > 1 ? near : n < 3"
rotate = { angle = "p*u*10000^(-2*i/d)" }
"""


def check_learned(program, folder):
    """The module hands what is learned to the mask and to the rotation, as that of --to torch does."""
    import torch
    path = pathlib.Path(folder) / "learned.toml"
    path.write_text(LEARNED)
    modules = [exported(program, "learned", target, folder, "--from", path) for target in ("flex-attention", "torch")]
    flex, plain = (module.Learned(dtype=torch.float64) for module in modules)
    with torch.no_grad():
        for module in (flex, plain):
            module.raw_u.fill_(5.0)  # u is softplus(5) = 5.0067
    is_good = all(torch.equal(a, b) for a, b in zip(flex.rotation(6, 8), plain.rotation(6, 8), strict=True))
    visible = flex.make_mask_mod(heads=2)
    q, k = torch.arange(8)[:, None], torch.arange(8)[None, :]
    found = visible(torch.tensor(0), torch.tensor(0), q, k)
    is_good &= torch.equal(found, (k <= q) & (q - k <= 5))
    longrope = exported(program, "rotary-longrope", "flex-attention", folder)
    own = longrope.RotaryLongrope(dtype=torch.float64)
    with torch.no_grad():
        own.learned_short.fill_(2.0)
    halved = longrope.rotation(6, 8, short=torch.full((64,), 2.0, dtype=torch.float64), dtype=torch.float64)
    is_good &= all(torch.equal(a, b) for a, b in zip(own.rotation(6, 8), halved, strict=True))
    if not is_good:
        print("learned names of the mask or the rotation are not handed over")
    return is_good


def main():
    program, venv = os.path.abspath(sys.argv[1]), sys.argv[2]
    go_where_installed("flex-attention", venv)
    warnings.filterwarnings("ignore")  # that it is not compiled
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "keys-only.toml"
        file.write_text(KEYS_ONLY)
        for scheme in SCHEMES:
            off = difference(program, scheme, folder, ["--from", file] if scheme == "keys-only" else [])
            print(f"{scheme}: {off:.2g} off")
            is_good &= off <= TOLERANCE
        is_good &= check_learned(program, folder)
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
