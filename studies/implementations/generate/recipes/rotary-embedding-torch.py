"""rotary-embedding-torch: queries and keys, rotated by the package's own functions in float32, float16 and bfloat16."""
import places
import torch
from rotary_embedding_torch import RotaryEmbedding

PACKAGE = "rotary-embedding-torch"
WITH = ["torch"]

SHORT = 24
LONG = 1024  # keys in the cache when the last SHORT queries are decoded
CACHED = 8192  # the length up to which the package caches


def far(module, dtype, sequence=places.LONGEST):
    """Rotates the queries of a whole sequence and returns those at the sampled positions."""
    index = places.positions(below=sequence)
    q = torch.zeros(1, 1, sequence, places.WIDTH, dtype=dtype)
    q[0, 0, index] = places.vectors(len(places.POSITIONS))[: len(index)].to(dtype)
    return module.rotate_queries_or_keys(q)[0, 0, index]


def tensors():
    call = "RotaryEmbedding(dim){}.rotate_queries_or_keys(q)"
    arguments = {"dim": places.WIDTH, "sequence": places.LONGEST}
    yield "positions", places.positions(), "where the far tensors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    for dtype in (torch.float32, torch.bfloat16):
        name = places.name_of(dtype)
        yield f"q-{name}", far(RotaryEmbedding(places.WIDTH), dtype), call.format(""), {**arguments, "q": name}
    rotated = far(RotaryEmbedding(places.WIDTH), torch.float16)
    for name, tensor in places.finite_part("q-float16", rotated):
        yield name, tensor, call.format(""), {**arguments, "q": "float16", "kept": "up to the first that is not finite"}
    yield ("q-bfloat16-module", far(RotaryEmbedding(places.WIDTH).to(torch.bfloat16), torch.bfloat16), call.format(".to(bfloat16)"),
           {**arguments, "q": "bfloat16"})
    yield from after_another()
    yield from xpos()


def after_another():
    """Calls the module in bfloat16, which fills the cache that a later call in float32 reads."""
    module = RotaryEmbedding(places.WIDTH)
    far(module, torch.bfloat16, CACHED)
    index = places.positions(below=CACHED)
    yield "cached-positions", index, "where q-after-bfloat16 stands", {}
    yield "cached-q", places.vectors(len(places.POSITIONS))[: len(index)], "queries before the rotation", {}
    yield ("q-after-bfloat16", far(module, torch.float32, CACHED), "RotaryEmbedding(dim).rotate_queries_or_keys(q)",
           {"dim": places.WIDTH, "sequence": CACHED, "q": "float32", "before": "the same module rotated a bfloat16 sequence as long"})


def xpos():
    """Queries and keys of one sequence, then its last queries as in decoding, together with all keys."""
    q, k = places.vectors(2 * LONG).reshape(2, 1, 1, LONG, places.WIDTH)
    call = "RotaryEmbedding(dim, use_xpos=True).{}(q, k)"
    arguments = {"dim": places.WIDTH, "sequence": LONG, "kept": f"the last {SHORT}"}
    last = slice(LONG - SHORT, LONG)
    yield "last-positions", torch.arange(LONG)[last], "where the xPos tensors stand", {}
    yield "xpos-q", q[0, 0, last], "queries before the rotation", {}
    yield "xpos-k", k[0, 0, last], "keys before the rotation", {}
    module = RotaryEmbedding(places.WIDTH, use_xpos=True)
    for name, tensor in zip("qk", module.rotate_queries_and_keys(q, k)):
        yield f"whole-{name}", tensor[0, 0, last], call.format("rotate_queries_and_keys"), arguments
    module = RotaryEmbedding(places.WIDTH, use_xpos=True)
    for name, tensor in zip("qk", module.rotate_queries_with_cached_keys(q[:, :, last], k)):
        yield f"decoded-{name}", tensor[0, 0, -SHORT:], call.format("rotate_queries_with_cached_keys"), {**arguments, "queries": SHORT}
