#!/usr/bin/python3
"""Times a formula of 30 nodes with transcendental functions over 10^8 points, in farfield and numexpr."""
import sys

import measure
import numexpr
import numpy as np

POINTS = 100_000_000
FORMULA = ("exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n) * sin(n/1000) - "
           "tanh(n/100000000)")
NODES = 30


def main():
    points = np.arange(POINTS, dtype=float)
    result = np.empty(POINTS)
    with measure.Timing("formula", FORMULA, POINTS, "array") as timing:
        threads = timing.threads()
        numexpr.set_num_threads(threads)
        report = measure.Report("formula", f"{NODES} nodes over {POINTS} points in memory", threads)
        turns = measure.take_turns(
            3, copy=lambda: timing.seconds("copy"), ours=lambda: timing.seconds("ours"),
            theirs=lambda: measure.seconds_of(lambda: numexpr.evaluate(FORMULA, {"n": points}, out=result)))
        timing.seconds("ours")
        values = timing.values()
    for found, at in zip(values, [0, POINTS // 2, POINTS - 1]):
        assert abs(found - result[at]) <= 1e-9 * abs(result[at]), (found, result[at])
    report.times("farfield", turns["ours"])
    report.times("numexpr", turns["theirs"])
    report.times("floor: copying the points", turns["copy"], f"{POINTS * 16 / 1e6:.0f} MB")
    report.ratio("times numexpr", turns["theirs"][0] / turns["ours"][0], 5)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
