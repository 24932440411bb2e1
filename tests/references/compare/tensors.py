"""Tensors in the forms of implementations, written independently of the catalogue: numpy loops and outer products, each
with a known convention or mistake. tests/compare checks that `farfield compare` recognizes them.

Usage: tensors.py FOLDER [NAME...]
"""
import json
import pathlib
import struct
import sys

import numpy as np

HEADS, LENGTH, DIM = 6, 16, 16


def slopes(heads):
    """The slopes of the public code: geometric, or every other slope of twice the number of heads if it is not a power
    of two."""
    def power_of_two(count):
        start = 2 ** (-2 ** -(np.log2(count) - 3))
        return [start * start ** i for i in range(count)]
    lower = 2 ** int(np.floor(np.log2(heads)))
    if lower == heads:
        return power_of_two(heads)
    return power_of_two(lower) + slopes(2 * lower)[0::2][:heads - lower]


def geometric(heads):
    return [2.0 ** (-8.0 * (h + 1) / heads) for h in range(heads)]


def relative(heads=HEADS, length=LENGTH, rule=geometric, offset=0):
    """-slope * (q - k + offset), [heads, queries, keys]."""
    positions = np.arange(length)
    distance = positions[:, None] - positions[None, :] + offset
    return -np.array(rule(heads))[:, None, None] * distance[None]


def causal(bias, hidden=-np.inf):
    length = bias.shape[-1]
    return np.where(np.tril(np.ones((length, length), bool)), bias, hidden)


def to_bf16(array):
    """The nearest bfloat16, ties to even, as 16-bit patterns."""
    bits = np.asarray(array, np.float32).view(np.uint32).astype(np.uint64)
    rounded = bits + 0x7fff + ((bits >> np.uint64(16)) & np.uint64(1))
    return (rounded >> np.uint64(16)).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def stepwise_bf16(heads=HEADS, length=LENGTH):
    """Slopes, positions, their differences and their products, each rounded to bfloat16."""
    def rounded(x):
        return from_bf16(to_bf16(x))
    quotient = rounded(rounded(8.0 * (np.arange(heads) + 1)) / heads)
    slope = rounded(2.0 ** -quotient.astype(float))
    positions = rounded(np.arange(length))
    distance = rounded(positions[:, None] - positions[None, :])
    return to_bf16(-slope[:, None, None] * distance[None])


def stepwise_half(heads=HEADS, length=LENGTH):
    """The same in float16."""
    half = np.float16
    quotient = (half(8) * np.arange(1, heads + 1).astype(half)) / half(heads)
    slope = (2.0 ** -quotient.astype(float)).astype(half)
    positions = np.arange(length).astype(half)
    return -slope[:, None, None] * (positions[:, None] - positions[None, :])


def frequencies(base=10000.0, dim=DIM, start=0):
    return base ** (-2.0 * (np.arange(dim // 2) + start) / dim)


def angles(base=10000.0, length=LENGTH, start=0):
    return np.outer(np.arange(length) + start, frequencies(base))


def rotate_interleaved(x, angle):
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = np.empty_like(x)
    turned[..., 0::2] = even * np.cos(angle) - odd * np.sin(angle)
    turned[..., 1::2] = even * np.sin(angle) + odd * np.cos(angle)
    return turned


def rotate_halves(x, angle):
    half = x.shape[-1] // 2
    cosine, sine = (np.concatenate([part, part], -1) for part in (np.cos(angle), np.sin(angle)))
    swapped = np.concatenate([-x[..., half:], x[..., :half]], -1)
    return x * cosine + swapped * sine


def rotate_part(x, dim, rotate, scale=1):
    """Rotates the first `dim` dimensions like heads of that width and multiplies them by the scale. The others are
    unchanged."""
    angle = np.outer(np.arange(x.shape[-2]), frequencies(dim=dim))
    return np.concatenate([rotate(x[..., :dim], angle) * scale, x[..., dim:]], -1)


def angles_by_quotients():
    """p * (1/10000^(2i/d)), every step rounded to float32."""
    single = np.float32
    power = (10000.0 ** (2.0 * np.arange(DIM // 2) / DIM)).astype(single)
    return np.arange(LENGTH, dtype=single)[:, None] * (single(1) / power)


def yarn(by_index, trained=4096, factor=16, fast=32, slow=1, base=10000.0, dim=DIM):
    """Frequencies of YaRN. They are blended by the number of turns within the trained length, as in its equations, or
    by the pair's index between the (rounded) indices that turn `fast` and `slow` times, as in its public code."""
    theta = frequencies(base, dim)
    if by_index:
        low, high = (dim * np.log(trained / (turns * 2 * np.pi)) / (2 * np.log(base)) for turns in (fast, slow))
        low, high = np.floor(low), np.ceil(high)
        interpolated = np.clip((np.arange(dim // 2) - low) / (high - low), 0, 1)
    else:
        turns = trained * theta / (2 * np.pi)
        interpolated = 1 - np.clip((turns - slow) / (fast - slow), 0, 1)
    return theta / factor * interpolated + theta * (1 - interpolated)


def dynamic(factor=8, length=LENGTH, trained=8, dim=DIM):
    """The base of transformers' dynamic rule at a length beyond the trained one."""
    return 10000.0 * (factor * length / trained - (factor - 1)) ** (dim / (dim - 2))


def xpos_scale(start, length=LENGTH, dim=DIM, gamma=0.4, stretch=512):
    zeta = (np.arange(0, dim, 2) + gamma * dim) / (1.4 * dim)
    return zeta[None, :] ** ((np.arange(length) - start)[:, None] / stretch)


def sandwich(heads, length, first=0, shift=True, dim=128):
    j = np.arange(dim // 2) + first
    distance = np.arange(length)[:, None] - np.arange(length)[None, :]
    total = np.cos(distance[..., None] * 10000.0 ** (-2 * j / dim)).sum(-1) - (dim / 2 if shift else 0)
    return total[None] / (8 * (np.arange(heads) + 1) / heads)[:, None, None]


def vectors():
    return np.random.default_rng(7).standard_normal((2, 3, LENGTH, DIM))


SPARSE = np.array([0, 1, 2, 3, 5, 255, 301, 2048, 2049, 60001])


def sparse():
    """Distant positions: tables of cosines, exact and with positions or frequencies rounded, and a bias."""
    angle = np.outer(SPARSE, frequencies())
    through_half = np.outer(SPARSE.astype(np.float16).astype(float), frequencies())
    rounded = {"positions-half": through_half, "positions-bf16": np.outer(from_bf16(to_bf16(SPARSE)).astype(float), frequencies()),
               "frequencies-half": np.outer(SPARSE, frequencies().astype(np.float16).astype(float)),
               "frequencies-bf16": np.outer(SPARSE, from_bf16(to_bf16(frequencies())).astype(float))}
    queries, keys = np.array([99, 4096, 65536]), np.array([0, 50, 99])
    distance = queries[:, None] - keys[None, :]
    return {**{name: np.cos(each).astype(np.float32) for name, each in rounded.items()}, "cos": np.cos(angle).astype(np.float32),
            "positions": SPARSE, "queries": queries, "keys": keys,
            "bias": (-np.array(geometric(HEADS))[:, None, None] * distance).astype(np.float32)}


def partial():
    """Distant queries whose first half is rotated, by angles computed in float32; and the same with one number of the
    other half changed by a thousandth."""
    single = np.float32
    queries = np.random.default_rng(17).standard_normal((len(SPARSE), DIM)).astype(single)
    frequency = np.exp(np.arange(DIM // 4).astype(single) * single(-2 * np.log(10000.0) / (DIM // 2)))
    angle = np.outer(SPARSE.astype(single), frequency).astype(float)
    turned = rotate_interleaved(queries[:, :DIM // 2].astype(float), angle)
    half = np.concatenate([turned, queries[:, DIM // 2:]], -1).astype(single)
    touched = half.copy()
    touched[-1, -1] += single(0.001)
    return {"positions": SPARSE, "q": queries, "half": half, "touched": touched}


def bucket(distance, buckets=32, longest=128):
    """T5's causal rule: half of the buckets are exact, the others are logarithmic up to `longest`."""
    exact = buckets // 2
    if distance < exact:
        return distance
    return min(buckets - 1, exact + int(np.log(distance / exact) / np.log(longest / exact) * (buckets - exact)))


def learned():
    """Biases with different learned values for each head, and those values."""
    generator = np.random.default_rng(13)
    r1, r2 = generator.uniform(0.1, 2, (2, HEADS)).astype(np.float32)
    n = np.arange(LENGTH)
    weight = generator.standard_normal((HEADS, 32)).astype(np.float32)
    buckets = [bucket(distance) for distance in range(160)]
    return {"kerple": (-r1[:, None].astype(float) * np.log(1 + r2[:, None].astype(float) * n)).astype(np.float32), "r1": r1, "r2": r2,
            "t5": weight[:, buckets], "weight": weight, "weight-by-entry": weight.T, "t5-shared": np.tile(weight[2, buckets], (HEADS, 1)), "shared": weight[2]}


def places():
    """Tables, vectors and biases with moved lines. Each name describes the change."""
    p = np.arange(64)
    moved = {"offset": p + 37, "doubled": 2 * p, "clipped": np.minimum(p, 40), "padded": np.maximum(p - 9, 0),
             "padded-at-1": np.where(p < 9, 1, p - 9), "wrapped": p % 24, "repeated": p // 3, "less-from-20": np.where(p < 20, p, p - 1),
             "less-within": np.where((p < 30) | (p > 41), p, p - 5), "alike-within": np.where((p < 30) | (p > 41), p, 30)}
    tables = {name: np.cos(np.outer(each, frequencies())) for name, each in moved.items()}
    queries = np.random.default_rng(23).standard_normal((len(p), DIM)).astype(np.float32)
    tables["q"] = queries
    tables["q-clipped"] = rotate_interleaved(queries.astype(float), np.outer(moved["clipped"], frequencies()))
    tables["embed-padded"] = embedding(moved["padded"])
    slope = -np.array(geometric(HEADS))[:, None]
    tables["bias-offset"] = slope * (p + 5)
    tables["bias-clipped"] = slope * np.minimum(p, 40)
    tables["bias-less-from-20"] = slope * np.where(p < 20, p, p - 1)
    tables["bias-of-cache"] = relative(HEADS, 24)[:, :4]
    tables["sandwich-of-cache"] = sandwich(HEADS, 24)[:, :4]
    tables["bias-half"] = relative(HEADS, 24) * 0.3
    tables["bias-log2"] = relative(HEADS, 24) * np.log2(np.e)
    tables["bias-to-5"] = relative(HEADS, 24, rule=lambda h: [2.0 ** (-5.0 * (i + 1) / h) for i in range(h)])
    tables["one-head-reversed"] = relative(HEADS, 24) * np.where(np.arange(HEADS) == 3, -1, 1)[:, None, None]
    tables["heads-5-to-8"] = relative(16, 24)[4:8]
    tables["heads-1-to-4"] = relative(8, 24)[:4]
    tables["heads-exchanged"] = relative(HEADS, 24)[[1, 0, 2, 5, 4, 3]]
    return {name: each.astype(np.float32) for name, each in tables.items()}


def embedding(positions, dim=DIM):
    """Interleaved sines and cosines, as in Vaswani et al. (2017)."""
    angle = np.outer(positions, frequencies(dim=dim))
    return np.stack([np.sin(angle), np.cos(angle)], -1).reshape(len(positions), dim)


def layouts():
    """Tables and vectors in other layouts."""
    angle = angles()
    cosine, sine = np.cos(angle), np.sin(angle)
    x = vectors()[0, 0].astype(np.float32).astype(float)
    turned = rotate_interleaved(x, angle)
    even, odd = turned[:, 0::2], turned[:, 1::2]
    reversed_yarn = frequencies() * 17 / 16 - yarn(False)  # kept where yarn() interpolates, and interpolated where yarn() keeps
    tables = {"cos-sin": np.concatenate([cosine, sine], -1), "sin-cos": np.concatenate([sine, cosine], -1),
              "cos-sin-by-pairs": np.stack([cosine, sine], -1).reshape(LENGTH, DIM), "signed": np.concatenate([-sine, sine], -1),
              "embed": embedding(np.arange(LENGTH)), "embed-halves": np.concatenate([sine, cosine], -1),
              "embed-cosines-first": np.stack([cosine, sine], -1).reshape(LENGTH, DIM), "sine-for-cosine": sine, "q": x,
              "q-exchanged": np.stack([odd, even], -1).reshape(LENGTH, DIM), "q-halves-after": np.concatenate([even, odd], -1),
              "q-twice": rotate_interleaved(turned, angle), "q-heads": np.stack([x, 2 * x]),
              "q-first-head-twice": np.stack([rotate_interleaved(turned, angle), 2 * turned]), "q-sine-for-cosine": rotate_interleaved(x, np.pi / 2 - angle),
              "linear": cosine, "over-d-1": np.cos(np.outer(np.arange(LENGTH), 10000.0 ** (-2 * np.arange(DIM // 2) / (DIM - 1)))),
              "ntk-plainly": np.cos(angles(base=10000.0 * 8)), "yarn-reversed": np.cos(np.outer(np.arange(LENGTH), reversed_yarn))}
    return {name: each.astype(np.float32) for name, each in tables.items()}


def values():
    """Fitted values, grids, raw learned values, and tables that nothing should explain."""
    generator = np.random.default_rng(23)
    pair, positions = np.arange(DIM // 2), np.arange(48)
    rows, columns = np.divmod(positions, 8)
    half = 10000.0 ** (-2 * np.arange(DIM // 4) / (DIM // 2))
    divided = 1 + 0.25 * pair ** 2
    raw1, raw2 = generator.normal(size=HEADS), generator.normal(size=HEADS)
    distance = np.arange(LENGTH)[:, None] - np.arange(LENGTH)
    both_sides = np.abs(distance)

    def kerple(positive):
        bias = -positive(raw1)[:, None, None] * np.log(1 + positive(raw2)[:, None, None] * both_sides)
        return np.where(distance >= 0, bias, 0)

    plain = np.cos(np.outer(positions, frequencies()))
    noisy = plain.copy()
    noisy[:, 2] = generator.uniform(-1, 1, len(positions))
    exchanged = plain.copy()
    exchanged[[20, 31]] = exchanged[[31, 20]]
    constant = plain.copy()
    constant[:, 1] = 0.5
    tables = {"grid": np.cos(np.hstack([np.outer(rows, half), np.outer(columns, half)])),
              "grid-columns-first": np.cos(np.hstack([np.outer(columns, half), np.outer(rows, half)])),
              "fixed-ntk": np.cos(np.outer(positions, frequencies() / 8.0 ** (2 * (pair + 1) / DIM))),
              "static": np.cos(np.outer(positions, (10000.0 * 8 ** (DIM / (DIM - 2))) ** (-2 * pair / DIM))),
              "multiplied": 1.25 * plain, "divided": np.cos(np.outer(positions, frequencies() / divided)),
              "noisy-column": noisy, "exchanged-rows": exchanged, "constant-column": constant, "r1": raw1, "r2": raw2,
              "softplus": kerple(lambda x: np.log1p(np.exp(x))), "exp": kerple(np.exp), "abs": kerple(np.abs)}
    return {name: each.astype(np.float64 if name in ("r1", "r2") else np.float32) for name, each in tables.items()}


def tensors():
    f32 = np.float32
    yield "alibi.npy", relative().astype(f32)
    yield "alibi-masked.npy", causal(relative()).astype(f32)
    yield "alibi-third-of-8.npy", causal(relative(8))[2].astype(f32)
    yield "alibi-distances.npy", (-np.array(geometric(HEADS))[:, None] * np.arange(LENGTH)).astype(f32)
    yield "alibi-public.npy", relative(rule=slopes).astype(f32)
    yield "alibi-from-0.npy", causal(relative(rule=lambda h: [2.0 ** (-8.0 * i / h) for i in range(h)])).astype(f32)
    yield "alibi-reversed.npy", causal(-relative()).astype(f32)
    yield "alibi-off-by-one.npy", causal(relative(offset=1), -1e9).astype(f32)
    yield "alibi-transposed.npy", np.swapaxes(causal(relative()), 1, 2).astype(f32)
    yield "alibi-keys.npy", (np.array(slopes(HEADS))[:, None, None] * np.arange(LENGTH)[None, None]
                             * np.ones((1, LENGTH, 1))).astype(f32)
    yield "alibi-root-64.npy", causal(relative() / 8).astype(f32)
    yield "alibi-reversed-from-0.npy", causal(-relative(rule=lambda h: [2.0 ** (-8.0 * i / h) for i in range(h)])).astype(f32)
    yield "alibi-double.npy", relative()
    yield "alibi-half.npy", relative().astype(np.float16)
    yield "alibi-big-endian.npy", relative().astype(">f4")
    yield "alibi-column-major.npy", np.asfortranarray(relative().astype(f32))
    yield "alibi-noise.npy", (relative() * (1 + 0.01 * np.random.default_rng(3).standard_normal((HEADS, LENGTH, LENGTH)))).astype(f32)
    one_off = relative()
    one_off[3, 11, 5] += 0.25
    yield "alibi-one-off.npy", one_off.astype(f32)
    yield "alibi-roughly-reversed.npy", (-relative() * (1 + 1e-5 * np.random.default_rng(5).standard_normal(
        (HEADS, LENGTH, LENGTH)))).astype(f32)
    yield "alibi-heads-reversed.npy", relative(rule=lambda h: geometric(h)[::-1]).astype(f32)
    yield "alibi-from-2.npy", relative(rule=lambda h: geometric(h)[1:] + [2.0 ** (-8.0 * (h + 1) / h)]).astype(f32)
    yield "alibi-less-1.npy", causal(relative(offset=-1)).astype(f32)
    yield "alibi-times-root-128.npy", (relative() * np.sqrt(128.0)).astype(f32)
    yield "sandwich.npy", sandwich(4, 12).astype(f32)
    yield "sandwich-from-1.npy", sandwich(4, 12, first=1).astype(f32)
    yield "sandwich-unshifted.npy", sandwich(4, 12, shift=False).astype(f32)
    positions = np.arange(LENGTH)
    distance = positions[:, None] - positions[None, :]
    yield "alibi-stepwise-half.npy", stepwise_half()
    yield "window.npy", (distance >= 0) & (distance < 8)
    yield "window-longer.npy", np.where((distance >= 0) & (distance <= 8), 0, -np.inf).astype(f32)
    yield "window-inverted.npy", ~((distance >= 0) & (distance < 8))
    yield "window-shorter.npy", (distance >= 0) & (distance < 7)
    yield "window-both-sides.npy", distance < 8
    yield "window-not-itself.npy", (distance > 0) & (distance < 8)
    yield "window-transposed.npy", ((distance >= 0) & (distance < 8)).T
    yield "cos.npy", np.cos(angles()).astype(f32)
    yield "cos-halves.npy", np.concatenate([np.cos(angles())] * 2, -1).astype(f32)
    yield "sin-from-1.npy", np.sin(angles(start=1)).astype(f32)
    yield "cos-base.npy", np.cos(angles(base=500000.0)).astype(f32)
    yield "cos-base-20000.npy", np.cos(angles(base=20000.0)).astype(f32)
    yield "cos-million.npy", np.cos(angles(base=1e6)).astype(f32)
    yield "cos-dynamic.npy", np.cos(angles(base=dynamic())).astype(f32)
    for name, by_index in (("index", True), ("turns", False)):
        yield f"cos-yarn-by-{name}.npy", np.cos(np.outer(positions, yarn(by_index))).astype(f32)
    yield "cos-of-half.npy", np.cos(angles().astype(np.float16).astype(float)).astype(f32)
    yield "cos-of-bf16.npy", np.cos(from_bf16(to_bf16(angles())).astype(float)).astype(f32)
    through = np.outer(positions, from_bf16(to_bf16(frequencies())).astype(float))
    yield "cos-through-bf16.npy", np.cos(from_bf16(to_bf16(through)).astype(float)).astype(f32)
    yield "angle-by-quotients.npy", angles_by_quotients()
    yield "cos-natural.npy", np.cos(angles(base=np.e)).astype(f32)
    yield "cos-exponent.npy", np.cos(np.outer(positions, 10000.0 ** (-np.arange(DIM // 2) / DIM))).astype(f32)
    single = np.float32(1) / np.float32(10000) ** (np.arange(0, 8, 2).astype(f32) / f32(8))
    yield "cos-in-single.npy", np.cos(np.outer(np.arange(2048).astype(f32), single)).astype(f32)
    by_exp = np.exp(np.arange(0, 8, 2).astype(f32) * f32(-np.log(10000.0) / 8))
    yield "cos-by-exp-in-single.npy", np.cos(np.outer(np.arange(2048).astype(f32), by_exp)).astype(f32)
    to_base = 10000.0 ** -np.linspace(0, 1, DIM // 2)
    yield "cos-to-base.npy", np.cos(np.outer(positions, to_base)).astype(f32)
    yield "cos-doubled.npy", np.cos(np.outer(positions, 10000.0 ** (-4 * np.arange(DIM // 2) / DIM))).astype(f32)
    yield "cos-pair-from-1.npy", np.cos(np.outer(positions, frequencies(start=1))).astype(f32)
    yield "sin-back.npy", np.sin(-angles()).astype(f32)
    yield "sin-backwards.npy", np.sin(angles()[::-1]).astype(f32)
    yield "sin-less-1.npy", np.sin(angles(start=-1)).astype(f32)
    yield "cos-scaled.npy", (np.cos(angles()) * xpos_scale(0)).astype(f32)
    yield "cos-over-scale.npy", (np.cos(angles()) / xpos_scale(0)).astype(f32)
    yield "cos-sharpened.npy", (np.cos(angles()) * (0.1 * np.log(16) + 1)).astype(f32)
    yield "scale-from-end.npy", xpos_scale(LENGTH - 1).astype(f32)
    yield "scale-inverted.npy", (1 / xpos_scale(0)).astype(f32)
    yield "scale-per-token.npy", xpos_scale(0, stretch=1).astype(f32)
    yield "k-unscaled.npy", rotate_interleaved(vectors().astype(f32).astype(float), angles()).astype(f32)
    yield "turn.npy", np.exp(1j * angles()).astype(np.complex64)
    yield "scale.npy", xpos_scale(0).astype(f32)
    yield "scale-centred.npy", xpos_scale(LENGTH // 2).astype(f32)
    yield "q.npy", vectors().astype(f32)
    yield "q-interleaved.npy", rotate_interleaved(vectors().astype(f32).astype(float), angles()).astype(f32)
    yield "q-halves.npy", rotate_halves(vectors().astype(f32).astype(float), angles()).astype(f32)
    wide = vectors().astype(f32).astype(float)
    yield "q-half.npy", rotate_part(wide, DIM // 2, rotate_interleaved).astype(f32)
    yield "q-quarter-halves.npy", rotate_part(wide, DIM // 4, rotate_halves).astype(f32)
    for name, power in (("q", 1), ("k", -1)):
        yield f"{name}-xpos-half.npy", rotate_part(wide, DIM // 2, rotate_interleaved, np.repeat(
            xpos_scale(0, dim=DIM // 2), 2, -1) ** power).astype(f32)
    yield "q-halves-back.npy", rotate_halves(vectors().astype(f32).astype(float), -angles()).astype(f32)


def write_safetensors(path, arrays):
    header, data = {}, b""
    for name, (code, array) in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_all(folder, names):
    for name, array in tensors():
        if not names or name in names:
            np.save(folder / name, array)
    if not names or "rotary.npz" in names:
        np.savez_compressed(folder / "rotary.npz", cos=np.cos(angles()).astype(np.float32),
                            sin=np.sin(angles()).astype(np.float32))
    for name, arrays in (("sparse.npz", sparse), ("learned.npz", learned), ("partial.npz", partial), ("places.npz", places),
                         ("layouts.npz", layouts), ("values.npz", values)):
        if not names or name in names:
            np.savez(folder / name, **arrays())
    if not names or "rotary-stored.npz" in names:
        np.savez(folder / "rotary-stored.npz", cos=np.cos(angles()).astype(np.float16), sin=np.sin(angles()))
    if not names or "alibi.safetensors" in names:
        write_safetensors(folder / "alibi.safetensors",
                          {"rounded": ("BF16", to_bf16(relative())), "stepwise": ("BF16", stepwise_bf16()),
                           "single": ("F32", relative().astype(np.float32))})


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    write_all(target, sys.argv[2:])
