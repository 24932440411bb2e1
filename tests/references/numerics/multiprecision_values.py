"""Reference values of tests/numerics/multiprecision_test.cpp, by mpmath 1.3 at 120 digits: python3 multiprecision_values.py

mpmath computes its elementary functions with its own integer arithmetic, not with MPFR.
"""
from mpmath import atan2, cos, erf, exp, expm1, floor, log, log1p, mp, mpf, nstr, power, sin, sqrt, tan, tanh

mp.dps = 120

unary = {
    "sqrt": sqrt, "exp": exp, "expm1": expm1, "log": log, "log1p": log1p, "log2": lambda x: log(x, 2),
    "sin": sin, "cos": cos, "tan": tan, "tanh": tanh, "erf": erf,
    "softplus": lambda x: log1p(exp(x)), "sigmoid": lambda x: 1 / (1 + exp(-x)),
}
binary = {"mod": lambda a, b: a - b * floor(a / b), "pow": power, "atan2": atan2}

for name, function in unary.items():
    for text in ["0.4", "12.25", "1e-20", "7e5"]:
        if name in ("exp", "expm1", "sigmoid", "softplus") and text == "7e5":
            text = "-700"
        print(f'    {{"{name}", "{text}", "", "{nstr(function(mpf(text)), 60)}"}},')
for name, function in binary.items():
    for a, b in [("7.5", "2"), ("7.5", "-2"), ("0.3", "0.7"), ("1e10", "3.7")]:
        print(f'    {{"{name}", "{a}", "{b}", "{nstr(function(mpf(a), mpf(b)), 60)}"}},')
