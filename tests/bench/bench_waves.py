#!/usr/bin/python3
"""g[n] = sum_i cos(n theta_i) zeta_i^n at d = 128, n < 10^6: farfield, numpy as the formula reads, and numpy's best
form (angle addition as one matrix product)."""
import sys

import numpy as np

import measure

POINTS = 1_000_000
WIDTH = 128
FORMULA = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)) * ((2*i/128 + 0.4)/1.4)^(n/512))"

i = np.arange(WIDTH // 2)
theta = 10000.0 ** (-2 * i / WIDTH)
zeta = (2 * i / WIDTH + 0.4) / 1.4


def direct():
    n = np.arange(POINTS, dtype=float)[:, None]
    return (np.cos(n * theta) * zeta ** (n / 512)).sum(axis=1)


def best(columns=1000):
    start = np.arange(0, POINTS, columns, dtype=float)[:, None]
    offset = np.arange(columns, dtype=float)
    rate = np.log(zeta) / 512
    left = np.exp(start * rate)
    right = np.exp(offset * rate[:, None])
    angle, turn = start * theta, offset * theta[:, None]
    return (np.concatenate([left * np.cos(angle), -left * np.sin(angle)], axis=1)
            @ np.concatenate([right * np.cos(turn), right * np.sin(turn)], axis=0)).ravel()


def main():
    timing = measure.program("bench_formula_timing", FORMULA, POINTS, 15, "range")
    flops = 4 * (WIDTH // 2) * POINTS
    print(f"g[n], d = {WIDTH}, {POINTS} distances, {timing['threads']} threads; {flops / 1e9:.3f} GFLOP, "
          f"{POINTS * 8 / 1e6:.0f} MB written")
    measure.line("floor: writing the result", timing["writing"])
    ours = measure.line("farfield", timing["seconds"])
    print(f"  {'farfield, GFLOP/s':<44} {flops / ours / 1e9:11.1f}")
    numpy_direct = measure.line("numpy, direct", measure.seconds_of(direct, 2))
    numpy_best = measure.line("numpy, best form", measure.seconds_of(best, 9))
    reference = direct()
    assert abs(timing["first"] - reference[0]) < 1e-9 and abs(timing["last"] - reference[-1]) < 1e-9
    reached = [measure.ratio("times numpy's direct form", numpy_direct / ours, 50),
               measure.ratio("times numpy's best form", numpy_best / ours, 1.5)]
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
