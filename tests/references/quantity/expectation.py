"""g[n] = sum over i < d/2 of zeta_i^(n/B) cos(n theta_i) (Sun et al. 2023, Eqs. (10) and (11)), by mpmath in 50 digits;
writes expectation.inc."""
import mpmath

mpmath.mp.dps = 50


def expectation(n, gamma=None, d=64, B=512, base=10000):
    total = mpmath.mpf(0)
    for i in range(d // 2):
        x = mpmath.mpf(2 * i) / d
        zeta = ((x + gamma) / (1 + gamma)) ** (mpmath.mpf(n) / B) if gamma is not None else 1
        total += zeta * mpmath.cos(n * mpmath.mpf(base) ** -x)
    return total


for n in (1, 17, 512, 4097, 8192):
    print(f"    check(rotary, {n}, {mpmath.nstr(expectation(n), 20)});")
    print(f"    check(xpos, {n}, {mpmath.nstr(expectation(n, mpmath.mpf(4) / 10), 20)});")
