"""Reference values of tests/numerics/statistics_test.cpp, by mpmath 1.3 at 50 digits: python3 statistics_values.py

Computes the tail of Student's distribution with the regularised incomplete beta function, p = I_(v/(v + t^2))(v/2,
1/2).
"""
from mpmath import betainc, mp, mpf, nstr, sqrt

mp.dps = 50


def p_value(t, v):
    return betainc(v / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True)


def mean(x):
    return sum(x) / len(x)


def squares(x):
    return sum((value - mean(x)) ** 2 for value in x)


def numbers(text):
    return [mpf(word) for word in text.split()]


for t, v in [("0.001", "3"), ("2", "5"), ("12.5", "17.776"), ("40", "30"), ("3", "1e6"), ("1e-8", "0.5")]:
    print("p", t, v, nstr(p_value(mpf(t), mpf(v)), 18))
# Anscombe's first set (American Statistician 27, 1973).
x = numbers("10 8 13 9 11 14 6 4 12 7 5")
y = numbers("8.04 6.95 7.58 8.81 8.33 9.96 7.24 4.26 10.84 4.82 5.68")
xy = sum((p - mean(x)) * (q - mean(y)) for p, q in zip(x, y))
print("pearson", nstr(xy / sqrt(squares(x) * squares(y)), 18))
