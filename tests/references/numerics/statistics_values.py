"""Reference values of tests/numerics/statistics_test.cpp, by mpmath 1.3 at 50 digits: python3 statistics_values.py

Student's tail by the regularised incomplete beta function, p = I_(v/(v + t^2))(v/2, 1/2); quantiles by bisection.
"""
from mpmath import betainc, findroot, mp, mpf, nstr, sqrt

mp.dps = 50


def p_value(t, v):
    return betainc(v / 2, mpf(1) / 2, 0, v / (v + t * t), regularized=True)


def mean(x):
    return sum(x) / len(x)


def squares(x):
    return sum((value - mean(x)) ** 2 for value in x)


def show(name, difference, error, freedom):
    t = difference / error
    print(name, nstr(difference, 18), nstr(t, 18), nstr(freedom, 18), nstr(p_value(t, freedom), 18))


def numbers(text):
    return [mpf(word) for word in text.split()]


# Student's sleep data (Biometrika 6, 1908): extra hours under two drugs.
a = numbers("0.7 -1.6 -0.2 -1.2 -0.1 3.4 3.7 0.8 0.0 2.0")
b = numbers("1.9 0.8 1.1 0.1 -0.1 4.4 5.5 1.6 4.6 3.4")
n, m = len(a), len(b)
d = [x - y for x, y in zip(a, b)]
show("paired", mean(d), sqrt(squares(d) / (n - 1) / n), mpf(n - 1))
va, vb = squares(a) / (n - 1) / n, squares(b) / (m - 1) / m
show("welch", mean(a) - mean(b), sqrt(va + vb), (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (m - 1)))
show("pooled", mean(a) - mean(b), sqrt((squares(a) + squares(b)) / (n + m - 2) * (mpf(1) / n + mpf(1) / m)), mpf(n + m - 2))
for t, v in [("0.001", "3"), ("2", "5"), ("12.5", "17.776"), ("40", "30"), ("3", "1e6"), ("1e-8", "0.5")]:
    print("p", t, v, nstr(p_value(mpf(t), mpf(v)), 18))
for alpha, v, start in [("0.05", "1", 12.7), ("0.05", "10", 2.2), ("0.01", "17.776", 2.9), ("1e-10", "8", 50)]:
    root = findroot(lambda t: p_value(t, mpf(v)) - mpf(alpha), start)
    print("critical", alpha, v, nstr(root, 18))
# Anscombe's first set (American Statistician 27, 1973).
x = numbers("10 8 13 9 11 14 6 4 12 7 5")
y = numbers("8.04 6.95 7.58 8.81 8.33 9.96 7.24 4.26 10.84 4.82 5.68")
xy = sum((p - mean(x)) * (q - mean(y)) for p, q in zip(x, y))
print("pearson", nstr(xy / sqrt(squares(x) * squares(y)), 18))
