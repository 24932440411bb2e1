"""torchscale: xPos as its authors published it, RetNet's rotation, and T5's buckets."""
import places
import torch
from torchscale.component.relative_position_bias import RelativePositionBias
from torchscale.component.xpos_relative_position import XPOS

PACKAGE = "torchscale"
WITH = ["torch"]

SHORT = 24
LONG = 4096
DECODED = 1024


def far(dtype, sequence, downscale):
    """Rotates and scales the vectors of a whole sequence and returns those at the sampled positions."""
    index = places.positions(below=sequence)
    x = torch.zeros(1, sequence, places.WIDTH, dtype=dtype)
    x[0, index] = places.vectors(len(index)).to(dtype)
    return XPOS(places.WIDTH).to(dtype)(x, downscale=downscale)[0, index]


# Sequence lengths around the one at which the scale of the first query exceeds the format.
LENGTHS = {torch.float16: range(9056, 9066), torch.bfloat16: range(72442, 72452), torch.float32: range(72516, 72526)}


def finite():
    """Yields for which lengths all rotated queries are finite. The elements of the queries are alternately 1 and 0."""
    for dtype, lengths in LENGTHS.items():
        name = places.name_of(dtype)
        found = []
        for length in lengths:
            x = torch.zeros(1, length, places.WIDTH, dtype=dtype)
            x[..., ::2] = 1
            found.append(XPOS(places.WIDTH).to(dtype)(x).isfinite().all())
        yield f"lengths-{name}", torch.tensor(list(lengths)), "the lengths tried", {}
        yield (f"finite-{name}", torch.stack(found), f"XPOS(head_dim).to({name})(x).isfinite().all()",
               {"head_dim": places.WIDTH, "x": "1, 0, 1, 0, ..., for each length"})


def tensors():
    index = places.positions(below=LONG)
    yield "positions", index, "where the long tensors stand", {}
    yield "q", places.vectors(len(index)), "queries before the rotation", {}
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        name = places.name_of(dtype)
        to = "" if dtype == torch.float32 else f".to({name})"
        yield f"q-{name}", far(dtype, LONG, False), f"XPOS(head_dim){to}(x)", {"head_dim": places.WIDTH, "sequence": LONG, "x": name}
    yield from finite()
    for length in (SHORT, SHORT + 1):
        q = places.vectors(length)
        yield f"input-{length}", q, "queries and keys before the rotation", {}
        for part, downscale in (("q", False), ("k", True)):
            yield (f"{part}-{length}", XPOS(places.WIDTH)(q[None], downscale=downscale)[0], f"XPOS(head_dim)(x, downscale={downscale})",
                   {"head_dim": places.WIDTH, "sequence": length})
    last = places.vectors(1)
    yield "decode-position", torch.tensor([DECODED - 1]), "where the decoded query stands", {}
    yield "decode-input", last, "the query before the rotation", {}
    yield ("decode-q", XPOS(places.WIDTH)(last[None], offset=DECODED - 1)[0], "XPOS(head_dim)(x, offset)",
           {"head_dim": places.WIDTH, "sequence": 1, "offset": DECODED - 1})
    weights = torch.arange(32.0)
    yield "weight", weights, "the weights put into RelativePositionBias", {}
    module = RelativePositionBias(bidirectional=False, num_buckets=32, max_distance=128, n_heads=1)
    module.relative_attention_bias.weight.copy_(weights[:, None])
    yield ("t5", module(1, 400, 400)[0, -1].flip(-1), "RelativePositionBias(bidirectional=False, num_buckets, max_distance, n_heads)(1, qlen, klen)",
           {"num_buckets": 32, "max_distance": 128, "n_heads": 1, "qlen": 400, "klen": 400, "kept": "the last query's row, by distance"})
