"""Sandwich's bias (Chi et al. 2023, Eq. (6)), h = 8 of 8 heads, by mpmath in 50 digits; writes sandwich_row.inc."""
import mpmath

mpmath.mp.dps = 50
D = 128


def bias(n, first=0):
    ratio = 8
    total = mpmath.fsum(mpmath.cos(n / mpmath.mpf(10000) ** (mpmath.mpf(2 * i) / D)) for i in range(first, first + D // 2))
    return (total - D // 2) / ratio


for n in (1, 2, 50, 1000, 4095, 8191):
    print(f"    CHECK(std::abs(result.series->columns[1].values[{n}] - {mpmath.nstr(bias(n), 20)}) <= 1e-12);")
    print(f"    CHECK(result.series->columns[1].enclosures[{n}].contains({mpmath.nstr(bias(n), 20)}));")
