"""equinox: its rotary embedding in JAX on the CPU, and two rotary embeddings with different bases in one program."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"

import equinox
import jax.numpy as jnp
import numpy
import places
import torch

PACKAGE = "equinox"
WITH = ["jax"]

SHORT = 24


def as_torch(array):
    return torch.from_numpy(numpy.array(array.astype(jnp.float32)))


def far(dtype):
    """Rotates the queries of a whole sequence and returns those at the sampled positions."""
    index = numpy.array(places.POSITIONS)
    q = numpy.zeros((places.LONGEST, places.WIDTH), numpy.float32)
    q[index] = places.vectors(len(index)).numpy()
    return as_torch(equinox.nn.RotaryPositionalEmbedding(places.WIDTH, dtype=dtype)(jnp.asarray(q, dtype))[index])


def tensors():
    q = places.vectors(SHORT)
    yield "short-q", q, "queries before the rotation", {}
    for theta in (10000.0, 500000.0):
        rotated = equinox.nn.RotaryPositionalEmbedding(places.WIDTH, theta=theta)(jnp.asarray(q.numpy()))
        yield (f"theta-{theta:.0f}", as_torch(rotated), "RotaryPositionalEmbedding(embedding_size, theta)(q)",
               {"embedding_size": places.WIDTH, "theta": theta, "sequence": SHORT, "order": "10000 first, then 500000 in the same process"})
    yield "positions", places.positions(), "where the far tensors stand", {}
    yield "q", places.vectors(len(places.POSITIONS)), "queries before the rotation", {}
    for dtype, kept in ((jnp.float32, torch.float32), (jnp.float16, torch.float16), (jnp.bfloat16, torch.bfloat16)):
        name = places.name_of(kept)
        yield (f"q-{name}", far(dtype).to(kept), "RotaryPositionalEmbedding(embedding_size, dtype)(q)",
               {"embedding_size": places.WIDTH, "dtype": name, "sequence": places.LONGEST})
