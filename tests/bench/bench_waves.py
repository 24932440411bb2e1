#!/usr/bin/python3
"""Times g[n] = sum_i cos(n theta_i) zeta_i^(n/512) at d = 128, n < 10^6, in farfield, in numpy with the formula as
written, and in numpy's fastest form (angle addition as one matrix product)."""
import sys

import measure
import numpy as np

POINTS = 1_000_000
WIDTH = 128
FORMULA = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)) * ((2*i/128 + 0.4)/1.4)^(n/512))"
PROTOTYPE_MS = 2.3

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


def floor_of(flops):
    """Seconds of the same number of multiplications and additions by all threads, the least of several tries."""
    with measure.Timing("floor") as floor:
        least = min(floor.seconds("flops") for _ in range(5))
        return flops / (floor.values()[0] * floor.threads() / least)


def main():
    flops = 4 * (WIDTH // 2) * POINTS
    with measure.Timing("formula", FORMULA, POINTS, "range") as timing:
        report = measure.Report("waves", f"g[n], d = {WIDTH}, {POINTS} distances", timing.threads())
        turns = measure.take_turns(2, direct=lambda: measure.seconds_of(direct))
        turns |= measure.take_turns(25, write=lambda: timing.seconds("write"), best=lambda: measure.seconds_of(best),
                                    ours=lambda: timing.seconds("ours"))
        values = timing.values()
    reference = direct()
    for found, at in zip(values, [0, POINTS // 2, POINTS - 1]):
        assert abs(found - reference[at]) < 1e-9, (found, reference[at])
    report.times("farfield", turns["ours"])
    report.times("numpy, direct", turns["direct"])
    report.times("numpy, best form", turns["best"])
    report.times("floor: writing the result", turns["write"], f"{POINTS * 8 / 1e6:.0f} MB")
    report.value("floor of the whole product, ms", floor_of(flops) * 1e3)
    report.ratio("times numpy's direct form", turns["direct"][0] / turns["ours"][0], 50)
    report.ratio("times numpy's best form", turns["best"][0] / turns["ours"][0], 1.5)
    report.ratio("times the prototype's 2.3 ms", turns["ours"][0] * 1e3 / PROTOTYPE_MS, 1.5, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
