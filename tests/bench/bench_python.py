#!/usr/bin/python3
"""Measures the overhead of Python, for a formula of a few numbers, and for ALiBi's bias over 10^7 distances in the C++
library."""
import sys

import measure
import numpy as np

sys.path.insert(0, str(measure.BUILD / "python"))
import farfield as ff  # noqa: E402

POINTS = 10_000_000
CALLS = 2000
SLOPE = "-2^(-8*h/H) * n"


def of_a_call(work):
    """Seconds of one call, averaged over many consecutive calls."""
    return measure.seconds_of(lambda: [work() for _ in range(CALLS)]) / CALLS


def small_calls(timing):
    formula, n, out = ff.Formula(SLOPE), np.arange(8.0), np.empty(8)
    alibi = ff.scheme("alibi")
    formula(h=1, H=8, n=n)
    return measure.take_turns(
        5, inside=lambda: sum(timing.seconds("ours") for _ in range(50)) / 50,
        formula=lambda: of_a_call(lambda: formula(h=1, H=8, n=n)),
        out=lambda: of_a_call(lambda: formula(h=1, H=8, n=n, out=out)),
        text=lambda: of_a_call(lambda: ff.evaluate(SLOPE, h=1, H=8, n=n)),
        bias=lambda: of_a_call(lambda: alibi.bias(n, head=1, heads=8, out=out)))


def main():
    with measure.Timing("formula", "-2^(-8*1/8) * n", 8, "array") as timing:
        report = measure.Report("python-calls", "a formula of 8 points, one call", timing.threads())
        turns = small_calls(timing)
    report.times("Formula(...) in Python", turns["formula"])
    report.times("the same with out=", turns["out"])
    report.times("evaluate(text, ...)", turns["text"])
    report.times("scheme.bias(n, ...), compiled anew", turns["bias"])
    report.times("floor: evaluate_into() of the program in C++", turns["inside"])
    report.ratio("what Python adds to a call", (turns["out"][0] - turns["inside"][0]) * 1e6, 10, at_least=False, unit=" us")
    status = report.save()

    out, alibi = np.ones(POINTS), ff.scheme("alibi")
    with measure.Timing("formula", "-2^(-8*1/8) * n", POINTS, "range") as timing:
        report = measure.Report("python-bias", f"ALiBi's bias over {POINTS} distances", timing.threads())
        turns = measure.take_turns(
            9, write=lambda: timing.seconds("write"), inside=lambda: timing.seconds("ours"),
            outside=lambda: measure.seconds_of(lambda: alibi.bias(range(POINTS), head=1, heads=8, out=out)),
            new=lambda: measure.seconds_of(lambda: alibi.bias(range(POINTS), head=1, heads=8)))
        assert timing.values() == [out[0], out[POINTS // 2], out[-1]]
    report.times("Python, into an array", turns["outside"])
    report.times("Python, into a new array", turns["new"])
    report.times("C++", turns["inside"])
    report.times("floor: writing the result", turns["write"], f"{POINTS * 8 / 1e6:.0f} MB")
    report.ratio("C++ / Python, into an array", turns["inside"][0] / turns["outside"][0], 0.9)
    return max(status, report.save())


if __name__ == "__main__":
    sys.exit(main())
