#!/usr/bin/python3
"""A formula of 30 nodes with transcendental functions over 10^8 points: farfield against numexpr."""
import sys

import numexpr
import numpy as np

import measure

POINTS = 100_000_000
FORMULA = ("exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n) * sin(n/1000) - "
           "tanh(n/10000000) * (n + 2)^0.3")
NODES = 30
NUMEXPR = FORMULA.replace("^", "**")


def main():
    points = np.arange(POINTS, dtype=float)
    result = np.empty(POINTS)
    array = measure.program("bench_formula_timing", FORMULA, POINTS, 4, "array")
    numexpr.set_num_threads(array["threads"])
    print(f"{NODES} nodes over {POINTS} points, {array['threads']} threads; {POINTS * 16 / 1e6:.0f} MB read and written")
    measure.line("floor: writing the result", array["writing"])
    ours = measure.line("farfield, points in memory", array["seconds"])
    measure.line("farfield, points of a range",
                 measure.program("bench_formula_timing", FORMULA, POINTS, 4, "range")["seconds"])
    theirs = measure.line("numexpr",
                          measure.seconds_of(lambda: numexpr.evaluate(NUMEXPR, {"n": points}, out=result), 3))
    assert abs(array["last"] - result[-1]) <= 1e-9 * abs(result[-1])
    return 0 if measure.ratio("times numexpr", theirs / ours, 5) else 1


if __name__ == "__main__":
    sys.exit(main())
