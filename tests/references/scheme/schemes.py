"""Reference values of tests/scheme/catalogue_test.cpp: python3 schemes.py > schemes.inc

Written from the papers' equations and the logic of the public implementations. If possible, the method differs from the
catalogue's formulas. Computed at 50 digits by mpmath, and printed as the nearest doubles.
"""
import math

from mpmath import cos, exp, floor, log, mp, mpf, nstr, pi, power, sin, sqrt

mp.dps = 50

DEFAULTS = {"q": 0, "k": 0, "p": 0, "i": 0, "head": 1, "heads": 8, "d": 64, "length": 2048, "train_length": 512}


def pairs(settings):
    return ";".join(f"{name}={value}" for name, value in settings.items())


def row(scheme, piece, value, params=None, learned=None, **where):
    at = {**DEFAULTS, **where}
    numbers = ", ".join(str(at[name]) for name in DEFAULTS)
    nearest = repr(float(mpf(value)))
    print(f'{{"{scheme}", "{piece}", "{pairs(params or {})}", "{pairs(learned or {})}", {{{numbers}}}, {nearest}}},')


DISTANCES = [0, 1, 2, 17, 63, 100, 511, 1024, 2047]


# ALiBi ---------------------------------------------------------------------------------------------------------------

def geometric_slopes(heads):
    """Press et al., section 3: start and ratio are 2^(-8/heads)."""
    ratio = power(2, -mpf(8) / heads)
    slopes = [ratio]
    while len(slopes) < heads:
        slopes.append(slopes[-1] * ratio)
    return slopes


def public_slopes(heads):
    """The public code's rule, which is recursive if the number of heads is not a power of two."""
    if heads & (heads - 1) == 0:
        return geometric_slopes(heads)
    lower = 1 << (heads.bit_length() - 1)
    return geometric_slopes(lower) + public_slopes(2 * lower)[0::2][:heads - lower]


def alibi():
    for heads in (1, 8, 12, 16):
        for head in sorted({1, (heads + 1) // 2, heads - 3 if heads > 4 else 1, heads}):
            for n in (0, 1, 17, 2047):
                where = {"q": n + 5, "k": 5, "head": head, "heads": heads}
                row("alibi", "bias", -geometric_slopes(heads)[head - 1] * n, **where)
                row("alibi", "bias", -public_slopes(heads)[head - 1] * n, {"slopes": 1}, **where)
    for delta in (-3, 0, 2, 8):
        slope = geometric_slopes(12)[4] / mpf(2) ** delta
        row("alibi-shifted", "bias", -slope * 100, {"delta": delta}, q=100, head=5, heads=12)
    row("alibi-shifted", "bias", -geometric_slopes(8)[7] / 4 * 9, q=9, head=8)
    for h0 in (0, 4, 8):
        for head in (1, 8):
            row("alibi-same-h", "bias", -mpf(33) / 2 ** h0, {"h0": h0}, q=40, k=7, head=head)
    row("alibi-same-h", "bias", -mpf(33) / 16, q=40, k=7)


def alibi_receptive_field():
    """m_h (i - j) f(i - j) with m_h = -2^(-8(h/H - 1)), as printed in the note."""
    decays = {
        "alibi-rf-exp": lambda x, rho: exp(-abs(x) / rho),
        "alibi-rf-gauss": lambda x, rho: 1 / exp((x / rho) ** 2 / 2),
        "alibi-rf-reciprocal": lambda x, rho: 1 / (1 + abs(x) / rho),
    }
    for name, decay in decays.items():
        for head in (1, 5, 8):
            slope = -power(2, -8 * (mpf(head) / 8 - 1))
            for n in (0, 1, 50, 300):
                row(name, "bias", slope * n * decay(mpf(n), mpf(100)), q=n + 3, k=3, head=head)
                alibi_slope = -geometric_slopes(8)[head - 1]
                row(name, "bias", alibi_slope * n * decay(mpf(n), mpf(7)), {"rho": 7, "delta": 0}, q=n, head=head)
        # For later keys the linear factor changes its sign and the decay does not.
        row(name, "bias", power(2, 4) * 20 * decay(mpf(20), mpf(100)), q=10, k=30, head=4)


# Sandwich ------------------------------------------------------------------------------------------------------------

def sinusoids(position, width, base, first):
    """Appendix E's vectors: all sines, then all cosines."""
    phases = [position / power(base, mpf(2 * j) / width) for j in range(first, first + width // 2)]
    return [sin(phase) for phase in phases] + [cos(phase) for phase in phases]


def sandwich():
    for first in (0, 1):
        for width in (128, 32):
            for n in DISTANCES:
                q, k = n + 11, 11
                product = sum(a * b for a, b in zip(sinusoids(q, width, 10000, first), sinusoids(k, width, 10000, first)))
                for head, heads in ((8, 8), (1, 8), (5, 12)):
                    ratio = mpf(head) * 8 / heads
                    params = {"D": width, "first": first}
                    where = {"q": q, "k": k, "head": head, "heads": heads}
                    row("sandwich", "bias", (product - mpf(width) / 2) / ratio, params, **where)
                    row("sandwich", "bias", product / ratio, {**params, "shift": 0}, **where)
    for n in DISTANCES:
        curve = -mpf("0.825") * log(mpf(n + 1)) - mpf("0.8")
        row("sandwich-smoothed", "bias", curve, q=n, head=8)
        row("sandwich-smoothed", "bias", curve * 8 / (mpf(3) * 8 / 12), q=n, head=3, heads=12)
        row("sandwich-smoothed", "bias", curve, {"per_head": 0}, q=n, head=2)


# Learned biases ------------------------------------------------------------------------------------------------------

def t5_bucket(n, buckets, max_distance):
    """The causal branch of the public code, with exact logarithms."""
    n = max(n, 0)
    exact = buckets // 2
    if n < exact:
        return n
    grown = log(mpf(n) / exact) / log(mpf(max_distance) / exact) * (buckets - exact)
    return min(exact + int(floor(grown + mpf(10) ** -40)), buckets - 1)


def learned_biases():
    weights = [mpf((j * 7) % 32) / 8 - 2 for j in range(32)]
    table = " ".join(nstr(weight, 6) for weight in weights)
    for n in list(range(0, 40)) + [45, 63, 64, 90, 91, 112, 113, 127, 128, 129, 2047]:
        row("t5", "bias", weights[t5_bucket(n, 32, 128)], learned={"weight": table}, q=n)
    row("t5", "bias", 0, q=100)
    for n in list(range(-20, 21)) + [-129, -128, -127, -46, -45, 45, 46, 63, 64, 127, 128, 129]:
        # The public code uses key - query: positive values (later keys) have the upper half.
        bucket = t5_bucket(abs(n), 16, 128) + (16 if n < 0 else 0)
        row("t5-bidirectional", "bias", weights[bucket], learned={"weight": table}, q=max(n, 0), k=max(-n, 0))
    for r1, r2 in ((1, 1), ("0.825", 1), ("0.3", "2.5")):
        for n in DISTANCES:
            settings = {"r1": r1, "r2": r2}
            row("kerple-log", "bias", -mpf(r1) * log(1 + mpf(r2) * n), learned=settings, q=n)
            value = -mpf(r1) * (mpf(n) ** min(mpf(r2), 2) if n else 0)
            row("kerple-power", "bias", value, learned=settings, q=n)
    row("kerple-log", "bias", -log(mpf(11)), q=10)
    row("kerple-power", "bias", -10, q=10)


# Rotations -----------------------------------------------------------------------------------------------------------

def inverse_frequencies(d, base):
    return [1 / power(base, mpf(2 * i) / d) for i in range(d // 2)]


POSITIONS = [0, 1, 100, 2047]


def angles(name, frequencies, d, params=None, learned=None, **where):
    for i in sorted({0, 1, d // 8, d // 4, d // 2 - 2, d // 2 - 1}):
        for p in POSITIONS:
            row(name, "angle", p * frequencies[i], params, learned, p=p, i=i, d=d, **where)


def yarn_public(d, base, factor, original, alpha, beta):
    """The public code: a linear ramp over the pair's index between rounded bounds."""
    def bound(turns):
        return d * log(mpf(original) / (turns * 2 * pi)) / (2 * log(mpf(base)))
    low, high = max(math.floor(bound(beta)), 0), min(math.ceil(bound(alpha)), d - 1)
    high = high + mpf("0.001") if low == high else mpf(high)
    result = []
    for i, kept in enumerate(inverse_frequencies(d, base)):
        ramp = min(max((i - low) / (high - low), mpf(0)), mpf(1))
        result.append(kept / factor * ramp + kept * (1 - ramp))
    return result


def yarn_paper(d, base, factor, original, alpha, beta):
    """Wavelengths against the length: r = original/wavelength, gamma a ramp from alpha to beta."""
    result = []
    for frequency in inverse_frequencies(d, base):
        r = original / (2 * pi / frequency)
        gamma = mpf(0) if r < alpha else mpf(1) if r > beta else (r - alpha) / (beta - alpha)
        result.append((1 - gamma) * frequency / factor + gamma * frequency)
    return result


def llama3(d, base, factor, original, low, high):
    """The public code's three branches by wavelength."""
    result = []
    for frequency in inverse_frequencies(d, base):
        wavelength = 2 * pi / frequency
        if wavelength < mpf(original) / high:
            result.append(frequency)
        elif wavelength > mpf(original) / low:
            result.append(frequency / factor)
        else:
            smooth = (original / wavelength - low) / (high - low)
            result.append((1 - smooth) * frequency / factor + smooth * frequency)
    return result


def p_rope(d, base, share):
    """The listing of Barbero et al., appendix D: timescales of the first int(share d // 2) pairs, infinity for the others."""
    kept = int(share * d // 2)
    timescales = [power(mpf(base), mpf(2 * i) / d) for i in range(kept)] + [mpf("inf")] * (d // 2 - kept)
    return [1 / timescale for timescale in timescales]


def rotations():
    for d in (32, 64, 128):
        plain = inverse_frequencies(d, 10000)
        angles("rotary", plain, d)
        angles("p-rope", p_rope(d, 10000, 0.75), d)
        angles("p-rope", p_rope(d, 500000, 0.25), d, {"base": 500000, "share": 0.25})
        angles("p-rope", p_rope(d, 10000, 0), d, {"share": 0})
        angles("rotary-linear", [f / 4 for f in plain], d)
        angles("rotary-linear", [f * 512 / 2048 for f in plain], d, {"factor": 0})
        angles("rotary-linear", plain, d, {"factor": 0}, length=256)
        angles("rotary-ntk", inverse_frequencies(d, 10000 * power(8, mpf(d) / (d - 2))), d)
        stretch = mpf(2) * 2048 / 512 - 1
        dynamic = inverse_frequencies(d, 10000 * power(stretch, mpf(d) / (d - 2)))
        angles("rotary-ntk", dynamic, d, {"factor": 2, "dynamic": 1})
        angles("rotary-ntk", plain, d, {"factor": 2, "dynamic": 1}, length=100)
        served = inverse_frequencies(d, 10000 * power(mpf(2048) / 512, mpf(d) / (d - 2)))  # s = max(1, l'/L)
        angles("rotary-ntk", served, d, {"factor": 1, "dynamic": 1})
        angles("rotary-yarn", yarn_paper(d, 10000, 16, 4096, 1, 32), d)
        angles("rotary-yarn", yarn_public(d, 10000, 16, 4096, 1, 32), d, {"ramp": 1})
        angles("rotary-yarn", yarn_paper(d, 10000, 4, 512, 1, 32), d, {"factor": 4, "original": 0})
        angles("rotary-llama3", llama3(d, 500000, 8, 8192, 1, 4), d)
        tables = {"short": " ".join(nstr(1 + mpf(j) / 16, 6) for j in range(64)),
                  "long": " ".join(nstr(1 + mpf(j) / 2, 6) for j in range(64))}
        angles("rotary-longrope", plain, d)
        angles("rotary-longrope", [f / (1 + mpf(j) / 16) for j, f in enumerate(plain)], d, learned=tables)
        angles("rotary-longrope", [f / (1 + mpf(j) / 16) for j, f in enumerate(plain)], d, learned=tables, length=4096)
        angles("rotary-longrope", [f / (1 + mpf(j) / 2) for j, f in enumerate(plain)], d, learned=tables, length=4097)
        angles("rotary-longrope", [f / (1 + mpf(j) / 2) for j, f in enumerate(plain)], d, {"original": 0}, tables)
        for name in ("xpos", "xpos-torchscale", "lex"):
            angles(name, plain, d)
    root = mpf("0.1") * log(mpf(16)) + 1
    row("rotary-yarn", "temperature", root * root)
    row("rotary-yarn", "temperature", 1, {"factor": 1})
    for factor, original in ((32, 4096), (64, 4096), (16, 0)):
        root = sqrt(1 + log(mpf(factor)) / log(mpf(original or DEFAULTS["train_length"])))
        row("rotary-longrope", "temperature", root * root, {"factor": factor, "original": original})
    row("rotary-longrope", "temperature", 1, {"factor": 1})


def shifted_positions():
    """Position matrices of the sources, as angles of queries and keys whose difference is the matrix entry times a
    frequency.

    The rows are the last query of each length and sampled positions. Queries and keys are checked separately.
    """
    for d in (32, 64):
        plain = inverse_frequencies(d, 10000)
        for name, params, where, query, key in (
                # An et al., Algorithm 1: pids_q_shifted = pids_query - S + W; sliding_window = S.
                ("string", {}, lambda n: n >= 512 // 3, lambda p: p - 512 // 3 + 128, lambda p: p),
                ("string", {"shift": 100, "window": 32}, lambda n: n >= 100, lambda p: p - 100 + 32, lambda p: p),
                ("rerope", {}, lambda n: n >= 512, lambda p: 512, lambda p: 0),
                ("rerope", {"window": 17}, lambda n: n >= 17, lambda p: 17, lambda p: 0),
                # Jin et al.: group positions p // G; the shift of queries is w - w // G.
                ("self-extend", {}, lambda n: n >= 1024, lambda p: p // 8 + 1024 - 1024 // 8, lambda p: p // 8),
                ("self-extend", {"group": 5, "window": 17}, lambda n: n >= 17, lambda p: p // 5 + 17 - 17 // 5,
                 lambda p: p // 5)):
            for n in sorted({0, 1, 16, 17, 99, 100, 169, 170, 171, 511, 512, 1023, 1024, 2047}):
                row(name, "far.where", 1 if where(n) else 0, params, q=n, k=0, d=d)
                row(name, "far.where", 1 if where(n) else 0, params, q=2047, k=2047 - n, d=d)
            for i in (0, 1, d // 4, d // 2 - 1):
                for p in POSITIONS:
                    row(name, "far.query", query(p) * plain[i], params, p=p, i=i, d=d)
                    row(name, "far.key", key(p) * plain[i], params, p=p, i=i, d=d)
        for name in ("string", "rerope", "self-extend"):
            angles(name, plain, d)


def xpos_scales():
    """The public code: (0, 2, 4, ... + 0.4 d)/(1.4 d), to the power of the position over 512."""
    for d in (32, 64):
        scale = [(j + mpf("0.4") * d) / (mpf("1.4") * d) for j in range(0, d, 2)]
        for i in (0, 1, d // 4, d // 2 - 1):
            for p in POSITIONS:
                for name in ("xpos", "lex"):
                    row(name, "scale", exp(log(scale[i]) * p / 512), p=p, i=i, d=d)
                row("xpos", "scale", scale[i] ** p, {"B": 1}, p=p, i=i, d=d)
                for length in (2048, 2047):
                    counted = list(range(-length // 2, length + (-length // 2)))
                    if p < length:
                        value = exp(log(scale[i]) * counted[p] / 512)
                        row("xpos-torchscale", "scale", value, p=p, i=i, d=d, length=length)


def sinusoidal():
    for d in (64, 512):
        for i in (0, 1, d // 4, d // 2 - 1):
            for p in POSITIONS:
                angle = p / power(10000, mpf(2 * i) / d)
                row("sinusoidal", "even", sin(angle), p=p, i=i, d=d)
                row("sinusoidal", "odd", cos(angle), p=p, i=i, d=d)


# Masks ---------------------------------------------------------------------------------------------------------------

def visible(name, q, length, train_length):
    """The keys that are visible to the query at q, by slicing lists."""
    keys = list(range(q + 1))
    if name == "windowed":
        return keys[-100:]
    if name == "sliding":
        return keys[-train_length:]
    if name in ("blockwise", "lex") and length > train_length:
        half = train_length // 2
        blocks = [range(start, start + half) for start in range(0, length, half)]
        own = next(index for index, block in enumerate(blocks) if q in block)
        return [k for k in keys if k in blocks[own] or (own > 0 and k in blocks[own - 1])]
    return keys


def masks():
    names = ["nope", "windowed", "sliding", "blockwise", "lex", "rotary", "alibi", "t5"]
    for name in names:
        for length, train_length in ((2048, 512), (512, 512)):
            for q in (0, 99, 100, 255, 256, 511, 512, 767, 768, 2047):
                if q >= length:
                    continue
                seen = set(visible(name, q, length, train_length))
                for k in sorted({0, q, q + 1, *(max(q - n, 0) for n in (1, 99, 100, 255, 256, 511, 512)), q // 256 * 256,
                                 max(q // 256 * 256 - 256, 0), max(q // 256 * 256 - 257, 0)}):
                    row(name, "mask", 1 if k in seen else 0, q=q, k=k, length=length, train_length=train_length)


def main():
    print("// Written by schemes.py: scheme, piece, params, learned, {" + ", ".join(DEFAULTS) + "}, value.")
    for part in (alibi, alibi_receptive_field, sandwich, learned_biases, rotations, shifted_positions, xpos_scales, sinusoidal,
                 masks):
        part()


if __name__ == "__main__":
    main()
