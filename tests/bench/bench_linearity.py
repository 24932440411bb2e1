#!/usr/bin/python3
"""Measures time against the number of points over four decades. The cost of a point must not grow."""
import sys

import measure

FORMULAS = {
    "any formula": "exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n)",
    "sum of waves": "sum(i, 0, 63, cos(n * 10000^(-2*i/128)))",
}
COUNTS = [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000]


def costs_of_a_point(report, name, formula):
    costs = []
    for count in COUNTS:
        with measure.Timing("formula", formula, count, "range") as timing:
            repeats = 15 if count <= 1_000_000 else 5 if count <= 10_000_000 else 3
            seconds = measure.take_turns(repeats, ours=lambda: timing.seconds("ours"))["ours"]
        costs.append(seconds[0] / count * 1e9)
        report.times(f"{name}, {count} points", seconds, f"{costs[-1]:.3f} ns a point")
    return costs


def main():
    with measure.Timing("floor") as timing:
        report = measure.Report("linearity", "10^4 to 10^8 points", timing.threads())
    for name, formula in FORMULAS.items():
        costs = costs_of_a_point(report, name, formula)
        report.ratio(f"{name}: dearest later point, times the first's", max(costs[1:]) / costs[0], 1.3, at_least=False)
    return report.save()


if __name__ == "__main__":
    sys.exit(main())
