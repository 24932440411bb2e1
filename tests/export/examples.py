"""The examples of docs/export.md run, and agree with attention and rotation written out in doubles.

Usage: examples.py FARFIELD ROOT VENV
"""
import math
import os
import pathlib
import re
import sys
import tempfile

from libraries import exported, go_where_installed

BATCH, HEADS, LENGTH, DIM = 2, 3, 20, 16
TOLERANCE = {"float64": 1e-5, "float32": 2e-5, "bfloat16": 0.03, "float16": 0.005}  # tables are float32; values about 1


def attention(q, k, v, bias=0.0):
    """Causal attention over all positions in doubles."""
    logits = q @ k.mT / math.sqrt(DIM) + bias
    hidden = torch.arange(LENGTH) > torch.arange(LENGTH)[:, None]
    return torch.softmax(logits.masked_fill(hidden, -math.inf), -1) @ v


def angles(scheme, **context):
    """Angles [positions, pairs], from the formulas that `farfield show` prints. For plain rotary they are p *
    10000^(-2i/d)."""
    return torch.arange(LENGTH, dtype=torch.float64)[:, None] * 10000.0 ** (-2 * torch.arange(DIM // 2).double() / DIM)


def as_complex(x, angle, pairs):
    """Rotates x as complex numbers."""
    a, b = (x[..., 0::2], x[..., 1::2]) if pairs == "interleaved" else (x[..., :DIM // 2], x[..., DIM // 2:])
    z = torch.complex(a, b) * torch.polar(torch.ones_like(angle), angle)
    return torch.stack((z.real, z.imag), -1).flatten(-2) if pairs == "interleaved" else torch.cat((z.real, z.imag), -1)


def sdpa(example, q, k, v):
    slopes = 2.0 ** (-8 * torch.arange(1, HEADS + 1, dtype=torch.float64) / HEADS)
    distance = torch.arange(LENGTH)[:, None] - torch.arange(LENGTH)
    wanted = attention(q.double(), k.double(), v.double(), -slopes[:, None, None] * distance)
    yield example.attend(q, k, v), wanted
    yield example.attend(q[:, :, -3:], k, v), wanted[:, :, -3:]


def cache(example, q, k, v):
    """Steps of 7, 1 and 12 positions give the same result as all positions at once. The doubles of YaRN come from the
    numpy export, which round_trip.py compares with the formulas."""
    state = (k[:, :, :0], v[:, :, :0])
    outputs = []
    for first, last in ((0, 7), (7, 8), (8, LENGTH)):
        part, state = example.attend(q[:, :, first:last], k[:, :, first:last], v[:, :, first:last], state, 8)
        outputs.append(part)
    cos, sin = (torch.tensor(each) for each in example.plain.rotation(LENGTH, DIM, train_length=8))
    angle = torch.atan2(sin, cos)
    turned = [as_complex(each.double(), angle, "interleaved") for each in (q, k)]
    sharper = torch.tensor(example.plain.temperature(LENGTH))[:, None]
    yield torch.cat(outputs, 2), attention(turned[0] * sharper, turned[1], v.double())


def apply(example, q, k, v):
    module = example.Rotary(DIM, LENGTH).to(q.dtype)
    at = torch.stack((torch.arange(LENGTH), torch.arange(LENGTH).flip(0)))
    for found, given in zip(module.rotated(q, k, at), (q, k), strict=True):
        yield found, as_complex(given.double(), angles("rotary")[at][:, None], "halves")


CHECKS = {"sdpa": sdpa, "cache": cache, "apply": apply}


def main():
    program, root, venv = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    go_where_installed("torch", venv)
    global torch
    import torch
    page = (root / "docs" / "export.md").read_text()
    blocks = re.findall(r"^```python (\w+) ([\w-]+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    wrong = [] if {name for name, _, _ in blocks} == set(CHECKS) else ["the examples on the page are not those that are checked"]
    with tempfile.TemporaryDirectory() as folder:
        for name, scheme, text in blocks:
            example = exported(program, scheme, "torch", folder)
            example.plain = exported(program, scheme, "numpy", folder)
            example.math = math
            exec(compile(text, name, "exec"), vars(example))
            for dtype, tolerance in TOLERANCE.items():
                torch.manual_seed(3)
                given = (torch.randn(BATCH, HEADS, LENGTH, DIM, dtype=torch.float64).to(getattr(torch, dtype)) for _ in range(3))
                for found, wanted in CHECKS[name](example, *given):
                    off = (found.double() - wanted).abs().max().item()
                    print(f"{name} in {dtype}: {off:.2g} off")
                    if not off <= tolerance or found.dtype != getattr(torch, dtype):
                        wrong.append(f"{name} in {dtype} is {off:.2g} off, as {found.dtype}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
