#!/usr/bin/python3
"""Measures the largest errors of functions of the program with Python's decimal module at 50 digits, which shares no
code with it.

Usage: ulp_by_decimal.py FARFIELD
"""
import decimal
import math
import subprocess
import sys

decimal.getcontext().prec = 50
FUNCTIONS = [
    ("sigmoid(x)", "-2:-1.9:0.00001", lambda x: 1 / (1 + (-x).exp())),
    ("sigmoid(x)", "-4:4:0.0007", lambda x: 1 / (1 + (-x).exp())),
    ("log(x)", "0.5:1.5:0.0001", lambda x: x.ln()),
    ("exp(x)", "-10:10:0.002", lambda x: x.exp()),
]


def values(program, formula, points):
    lines = subprocess.run([program, "eval", formula, "--over", "x=" + points], check=True, capture_output=True, text=True)
    for line in lines.stdout.splitlines()[1:]:
        yield tuple(map(float, line.split(",")))


def error(x, found, reference):
    exact = reference(decimal.Decimal(x))
    return abs(decimal.Decimal(found) - exact) / decimal.Decimal(math.ulp(float(exact))) if exact else decimal.Decimal(0)


def main():
    for formula, points, reference in FUNCTIONS:
        worst, at = max((error(x, found, reference), x) for x, found in values(sys.argv[1], formula, points))
        print(f"{formula} over {points}: {float(worst):.3f} ulp at {at!r}")


if __name__ == "__main__":
    main()
