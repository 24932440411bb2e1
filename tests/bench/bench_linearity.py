#!/usr/bin/python3
"""Time against the number of points over four decades: the cost of a point must not grow."""
import sys

import measure

FORMULA = "exp(-n/50000000) * cos(0.001*n + 0.5) / (1 + sqrt(n)) + log1p(n)"
WAVES = "sum(i, 0, 63, cos(n * 10000^(-2*i/128)))"


def cost_of_a_point(name, formula, counts):
    print(f"{name}: {formula}")
    costs = []
    for count in counts:
        timing = measure.program("bench_formula_timing", formula, count, 7, "range")
        middle = measure.line(f"{count} points", timing["seconds"])
        costs.append(middle / count)
        print(f"  {'nanoseconds a point':<44} {costs[-1] * 1e9:11.3f}")
    return costs


def main():
    reached = []
    for name, formula in (("any formula", FORMULA), ("sum of waves", WAVES)):
        costs = cost_of_a_point(name, formula, [10_000, 100_000, 1_000_000, 10_000_000, 100_000_000])
        reached.append(measure.ratio("dearest later point, times the first's cost", max(costs[1:]) / costs[0], 1.3,
                                     at_least=False))
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
