"""Safe lengths by another method, for tests/quantity/test_safe_length.cpp and test_safe_length_far.cpp: every query,
every key and every pair in 40 digits.

Usage: safe_length.py

Takes a minute and prints the scheme, format, width of a head and length.
"""
import mpmath
from mpmath import mp, mpf

mp.dps = 40
BOUND = mpf("0.01")
FORMATS = {"fp16": (10, -14, 15), "bf16": (7, -126, 127)}


def rounded(x, name):
    """Rounds to nearest, ties to even."""
    fraction, lowest, highest = FORMATS[name]
    if x == 0:
        return mpf(0)
    exponent = lowest
    while exponent < highest and mpf(2) ** (exponent + 1) <= abs(x):
        exponent += 1
    quantum = mpf(2) ** (exponent - fraction)
    result = mpmath.nint(x / quantum) * quantum
    return result if abs(result) < mpf(2) ** (highest + 1) else mp.inf


def theta(i, d, base):
    return mpf(base) ** (-mpf(2 * i) / d)


def llama3(i, d):
    slow = theta(i, d, 500000)
    kept = min(max((8192 * slow / (2 * mp.pi) - 1) / 3, 0), 1)
    return slow * (kept + (1 - kept) / 8)


def xpos_scale(p, i, d):
    return ((mpf(2 * i) / d + mpf("0.4")) / mpf("1.4")) ** (mpf(p) / 512)


ROTATIONS = {
    "rotary": (lambda i, d: theta(i, d, 10000), lambda p, i, d: mpf(1)),
    "rotary-llama3": (llama3, lambda p, i, d: mpf(1)),
    "xpos": (lambda i, d: theta(i, d, 10000), xpos_scale),
}


def turns(p, d, name, frequency, scale):
    """The complex factors of the query and the key at a position, exact and rounded, for each pair."""
    for i in range(d // 2):
        f, s = frequency(i, d), scale(p, i, d)
        angle = rounded(rounded(mpf(p), name) * rounded(f, name), name)
        exact = mpmath.mpc(mpmath.cos(p * f), mpmath.sin(p * f))
        turned = mpmath.mpc(rounded(mpmath.cos(angle), name), rounded(mpmath.sin(angle), name))
        yield exact * s, exact / s, turned * rounded(s, name), turned * rounded(1 / s, name)


def rotation_length(scheme, name, d):
    frequency, scale = ROTATIONS[scheme]
    seen = []
    for query in range(2000):
        seen.append(list(turns(query, d, name, frequency, scale)))
        for keys in seen:
            for (u, _, u_rounded, _), (_, v, _, v_rounded) in zip(seen[-1], keys):
                if abs(mpmath.conj(u_rounded) * v_rounded - mpmath.conj(u) * v) > BOUND:
                    return query


# For schemes with a second rotation: whether it applies at a distance, and the positions of the query and the key.
FAR = {
    "string, shift 12, window 3": (lambda n: n >= 12, lambda q: q - 12 + 3, lambda k: k),
    "rerope, window 4": (lambda n: n >= 4, lambda q: 4, lambda k: 0),
    "self-extend, group 4, window 8": (lambda n: n >= 8, lambda q: q // 4 + 8 - 2, lambda k: k // 4),
}


def far_length(scheme, name, d):
    """The safe length of rotary with a second rotation."""
    is_far, query_at, key_at = FAR[scheme]
    frequency, scale = ROTATIONS["rotary"]
    seen = {}

    def at(p):
        if p not in seen:
            seen[p] = list(turns(p, d, name, frequency, scale))
        return seen[p]

    for query in range(2000):
        for key in range(query + 1):
            q, k = (query_at(query), key_at(key)) if is_far(query - key) else (query, key)
            for (u, _, u_rounded, _), (_, v, _, v_rounded) in zip(at(q), at(k)):
                if abs(mpmath.conj(u_rounded) * v_rounded - mpmath.conj(u) * v) > BOUND:
                    return query


def kerple_log(n, h):
    return -mpmath.log(1 + n)


def sandwich(n, h):
    return (sum(mpmath.cos(n * theta(j, 128, 10000)) for j in range(64)) - 64) / h


def bias_length(bias, name, heads):
    n = 0
    while all(abs(rounded(bias(n, h), name) - bias(n, h)) <= BOUND for h in range(1, heads + 1)):
        n += 1
    return n


if __name__ == "__main__":
    for scheme, name, d in [("rotary", "bf16", 128), ("rotary-llama3", "bf16", 64), ("rotary-llama3", "fp16", 64),
                            ("xpos", "bf16", 64), ("xpos", "fp16", 64)]:
        print(scheme, name, d, rotation_length(scheme, name, d))
    for scheme in FAR:
        for name in FORMATS:
            print(scheme, name, 64, far_length(scheme, name, 64))
    print("kerple-log", "bf16", 64, bias_length(kerple_log, "bf16", 1))
    print("sandwich", "fp16", 64, bias_length(sandwich, "fp16", 8))
