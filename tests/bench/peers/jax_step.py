"""JAX's training step of farfield's model under ALiBi, as one compiled function. Does a step for each line it reads,
and answers with its microseconds. Arguments: R C H L B THREADS."""
import os
import sys
import time

layers, width, heads, length, batch, threads = map(int, sys.argv[1:7])
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:threads]))
import jax  # noqa: E402  (after the affinity, because JAX uses the processors that are available when it is loaded)
import jax.numpy as jnp  # noqa: E402

VOCABULARY = 256
dim = width // heads


def draw(key, *shape):
    return jax.random.normal(key, shape) * 0.5 * shape[0] ** -0.5


def start(key):
    keys = iter(jax.random.split(key, 4 * layers + 2))
    norm = lambda: (jnp.ones(width), jnp.zeros(width))
    linear = lambda inputs, outputs: (draw(next(keys), inputs, outputs), jnp.zeros(outputs))
    blocks = [(norm(), linear(width, 3 * width), linear(width, width), norm(), linear(width, 4 * width),
               linear(4 * width, width)) for _ in range(layers)]
    return draw(next(keys), VOCABULARY, width), blocks, norm(), draw(next(keys), width, VOCABULARY)


distance = jnp.arange(length)[:, None] - jnp.arange(length)[None, :]
slopes = 2.0 ** (-8 * jnp.arange(1, heads + 1) / heads)
bias = jnp.where(distance >= 0, -slopes[:, None, None] * distance, -jnp.inf)


def normalised(x, norm):
    mean = x.mean(-1, keepdims=True)
    away = x - mean
    return away * jax.lax.rsqrt((away * away).mean(-1, keepdims=True) + 1e-5) * norm[0] + norm[1]


def loss_of(parameters, inputs, targets):
    embedding, blocks, last, head = parameters
    x = embedding[inputs]
    for norm1, attention_in, attention_out, norm2, ffn_in, ffn_out in blocks:
        qkv = (normalised(x, norm1) @ attention_in[0] + attention_in[1]).reshape(batch, length, 3, heads, dim)
        q, k, v = qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2]
        weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) * dim ** -0.5 + bias, axis=-1)
        o = jnp.einsum("bhqk,bkhd->bqhd", weights, v).reshape(batch, length, width)
        x = x + o @ attention_out[0] + attention_out[1]
        hidden = jax.nn.gelu(normalised(x, norm2) @ ffn_in[0] + ffn_in[1], approximate=True)
        x = x + hidden @ ffn_out[0] + ffn_out[1]
    logits = jax.nn.log_softmax(normalised(x, last) @ head)
    return -jnp.take_along_axis(logits, targets[..., None], axis=-1).mean()


def step(state, inputs, targets):
    parameters, first, second, count = state
    gradient = jax.grad(loss_of)(parameters, inputs, targets)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / norm), gradient)
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    correction1, correction2 = 1 / (1 - 0.9 ** count), 1 / (1 - 0.999 ** count)
    parameters = jax.tree.map(
        lambda w, m, v: w - 1e-3 * (m * correction1 / (jnp.sqrt(v * correction2) + 1e-8) + 0.01 * w),
        parameters, first, second)
    return parameters, first, second, count


step = jax.jit(step, donate_argnums=0)
parameters = start(jax.random.key(0))
state = (parameters, jax.tree.map(jnp.zeros_like, parameters), jax.tree.map(jnp.zeros_like, parameters), 0.0)
tokens = jax.random.randint(jax.random.key(1), (batch, length + 1), 0, VOCABULARY)
inputs, targets = tokens[:, :-1], tokens[:, 1:]
for _ in range(3):
    state = jax.block_until_ready(step(state, inputs, targets))
print(f"JAX {jax.__version__}, XLA's own products (Eigen)", flush=True)
for line in sys.stdin:
    begin = time.perf_counter()
    state = jax.block_until_ready(step(state, inputs, targets))
    print((time.perf_counter() - begin) * 1e6, flush=True)
os._exit(0)
