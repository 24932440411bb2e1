// Twice the digits of a double, for what a double cannot decide.
#pragma once

#include <farfield/evaluate/cuda/functions.cuh>

namespace farfield::device {

/// The sum of two doubles, the second below half a unit of the first's last place.
struct Wide {
    double high;
    double low;
};

FARFIELD_BOTH Wide sum_of(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
FARFIELD_BOTH Wide product_of(double a, double b) {
    const double product = a * b;
    return {product, ::fma(a, b, -product)};
}
FARFIELD_BOTH Wide renormalised(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
}
FARFIELD_BOTH Wide operator+(Wide a, Wide b) {
    const Wide high = sum_of(a.high, b.high);
    const Wide low = sum_of(a.low, b.low);
    const Wide first = renormalised(high.high, high.low + low.high);
    return renormalised(first.high, first.low + low.low);
}
FARFIELD_BOTH Wide operator-(Wide a) {
    return {-a.high, -a.low};
}
FARFIELD_BOTH Wide operator-(Wide a, Wide b) {
    return a + -b;
}
FARFIELD_BOTH Wide operator*(Wide a, Wide b) {
    const Wide high = product_of(a.high, b.high);
    return renormalised(high.high, high.low + (a.high * b.low + a.low * b.high));
}
FARFIELD_BOTH Wide operator/(Wide a, Wide b) {
    const double first = a.high / b.high;
    const Wide rest = a - b * Wide{first, 0};
    const double second = rest.high / b.high;
    const Wide last = rest - b * Wide{second, 0};
    const Wide quotient = renormalised(first, second);
    return quotient + Wide{last.high / b.high, 0};
}

/// Si(x), off by less than 2 ulp (docs/accuracy.md). Up to 2 its power series, beyond it pi/2 and the continued
/// fraction of E1(ix) = -Ci(x) + i (Si(x) - pi/2), from the inside.
FARFIELD_RARE double sine_integral(double x) {
    const double size = ::fabs(x);
    if (!(size > 0)) return x;
    if (size <= 2) {
        Wide sum = {x, 0};
        double power = x;
        FARFIELD_ROLLED
        for (int k = 1; k < 15; ++k) {
            power = -power * (x * x) / ((2 * k) * (2 * k + 1));
            sum = sum_of(sum.high, power / (2 * k + 1) + sum.low);
        }
        return sum.high + sum.low;
    }
    const double half_pi = 0x1.921fb54442d18p+0;
    const double half_pi_rest = 0x1.1a62633145c07p-54;
    if (size - size != 0) return ::copysign(half_pi, x);
    const int depth = static_cast<int>(200 / size) + 5;
    double real = 2.0 * depth + 1;
    double imaginary = size;
    FARFIELD_ROLLED
    for (int k = depth; k > 0; --k) {
        const double ratio = k * static_cast<double>(k) / (real * real + imaginary * imaginary);
        real = (2 * k - 1) - ratio * real;
        imaginary = size + ratio * imaginary;
    }
    const double square = real * real + imaginary * imaginary;
    const double turned = -(::cos(size) * imaginary + ::sin(size) * real) / square;
    return ::copysign(half_pi + (half_pi_rest + turned), x);
}

/// n choose k, rounded once: each factor at least doubles the product, so that it soon overflows or ends.
FARFIELD_RARE double binomial(double n, double k) {
    constexpr double most = 16384;
    const bool is_counted = ::trunc(n) == n && ::trunc(k) == k && n >= 0 && n < 0x1p63 && k - k == 0;
    if (!is_counted) return not_a_number();
    if (k < 0 || k > n) return 0;
    const double fewer = k <= n - k ? k : n - k;
    if (!(fewer <= most)) return not_a_number();
    Wide product = {1, 0};
    int scale = 0;
    FARFIELD_ROLLED
    for (double i = 1; i <= fewer && scale < 3; ++i) {
        product = product * sum_of(n, i - fewer) / Wide{i, 0};
        if (product.high > 0x1p600) {
            product = Wide{product.high * 0x1p-600, product.low * 0x1p-600};
            ++scale;
        }
    }
    return ::ldexp(product.high + product.low, scale * 600);
}

/// ln 2 as a sum of two doubles.
FARFIELD_BOTH Wide wide_ln2() {
    return {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
}

/// log(a/b) of positive numbers, with a relative error below 2^-95: 2 atanh((a-b)/(a+b)) once a is within a factor
/// sqrt(2) of b, and whole multiples of ln 2. Small differences of a and b keep their digits.
FARFIELD_RARE Wide wide_log_of_ratio(double a, double b) {
    int exponent = 0;
    int exponent_of_b = 0;
    double near = ::frexp(a, &exponent);
    const double base = ::frexp(b, &exponent_of_b);
    exponent -= exponent_of_b;
    if (near > 1.4142135623730951 * base) {
        near *= 0.5;
        ++exponent;
    } else if (near < 0.70710678118654757 * base) {
        near *= 2;
        --exponent;
    }
    const Wide ratio = sum_of(near, -base) / sum_of(near, base);
    const Wide square = ratio * ratio;
    constexpr int terms = 24;  // 0.1716^(2*24) is 2^-122
    Wide series{0, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 0; --k) series = series * square + Wide{1, 0} / Wide{2.0 * k + 1, 0};
    return Wide{2, 0} * ratio * series + wide_ln2() * Wide{static_cast<double>(exponent), 0};
}

/// exp(x) for |x| < 700, with a relative error below 2^-90.
FARFIELD_RARE Wide wide_exp(Wide x) {
    const double count = ::rint(x.high * 1.4426950408889634);
    const Wide rest = x - wide_ln2() * Wide{count, 0};
    constexpr int terms = 26;  // 0.35^26/26! is 2^-127
    Wide series{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) series =
        Wide{1, 0} + series * rest / Wide{static_cast<double>(k), 0};
    const int exponent = static_cast<int>(count);
    return {::ldexp(series.high, exponent), ::ldexp(series.low, exponent)};
}

/// The angle of (x, y), with a relative error below 2^-90: one step of Newton's from the angle in double, whose sine
/// and cosine come from Taylor's series of an eighth of it, doubled three times.
FARFIELD_RARE Wide wide_atan2(double y, double x) {
    const double angle = ::atan2(y, x);
    const Wide part{angle * 0.125, 0};
    const Wide square = -(part * part);
    constexpr int terms = 14;  // 0.4^29/29! is 2^-141
    Wide sine{1, 0};
    Wide cosine{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) {
        sine = Wide{1, 0} + sine * square / Wide{2.0 * k * (2.0 * k + 1), 0};
        cosine = Wide{1, 0} + cosine * square / Wide{2.0 * k * (2.0 * k - 1), 0};
    }
    sine = sine * part;
    FARFIELD_ROLLED for (int doubling = 0; doubling < 3; ++doubling) {
        const Wide doubled = Wide{2, 0} * sine * cosine;
        cosine = Wide{1, 0} - Wide{2, 0} * sine * sine;
        sine = doubled;
    }
    const Wide above = Wide{y, 0} * cosine - Wide{x, 0} * sine;
    const Wide below = Wide{x, 0} * cosine + Wide{y, 0} * sine;
    return Wide{angle, 0} + above / below;
}

}  // namespace farfield::device
