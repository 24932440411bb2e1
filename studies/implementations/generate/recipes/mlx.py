"""mlx: rotary embedding, ALiBi and sinusoids of mlx.nn, on the CPU."""
import mlx.core as mx
import mlx.nn
import numpy
import places
import torch

PACKAGE = "mlx"
WITH = ["mlx-cpu"]

HEADS = 12
SHORT = 24
FORMATS = {"float32": mx.float32, "float16": mx.float16, "bfloat16": mx.bfloat16}


def as_torch(array, name="float32"):
    return torch.from_numpy(numpy.array(array.astype(mx.float32))).to(getattr(torch, name))


def far(name, traditional):
    """Rotates each query in a call of its own, at its offset."""
    rope = mlx.nn.RoPE(places.WIDTH, traditional=traditional)
    q = mx.array(places.vectors(len(places.POSITIONS)).numpy()).astype(FORMATS[name])
    rows = [rope(q[None, None, at : at + 1], offset=position)[0, 0] for at, position in enumerate(places.POSITIONS)]
    return as_torch(mx.concatenate(rows), name)


def tensors():
    yield "positions", places.positions(), "where the far tensors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    for name in FORMATS:
        yield f"q-{name}", far(name, True), "RoPE(dims, traditional=True)(q, offset)", {"dims": places.WIDTH, "q": name}
    yield "halves", far("float32", False), "RoPE(dims)(q, offset)", {"dims": places.WIDTH, "q": "float32"}
    scores = mx.zeros((1, HEADS, SHORT, SHORT))
    yield "alibi", as_torch(mlx.nn.ALiBi()(scores))[0], "ALiBi()(attention_scores) of zeros", {"heads": HEADS, "sequence": SHORT}
    for name in FORMATS:
        row = mlx.nn.ALiBi()(mx.zeros((1, 8, 1, places.LONGEST), FORMATS[name]), offset=places.LONGEST - 1)[0, :, 0]
        yield (f"alibi-{name}", as_torch(row, name).flip(-1)[:, places.positions()].T, "ALiBi()(attention_scores, offset) of zeros, by distance",
               {"heads": 8, "keys": places.LONGEST, "attention_scores": name})
    module = mlx.nn.SinusoidalPositionalEncoding(places.WIDTH, scale=1.0)
    table = as_torch(module(mx.arange(SHORT).astype(mx.float32)))
    half = places.WIDTH // 2
    yield "sinusoidal-sin", table[:, :half], "SinusoidalPositionalEncoding(dims, scale=1)(positions), first half of the columns", {"dims": places.WIDTH}
    yield "sinusoidal-cos", table[:, half:], "the same, second half of the columns", {"dims": places.WIDTH}
