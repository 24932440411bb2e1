// Functions in about twice the precision of a double, for values that a double does not decide.
#pragma once

#include <farfield/evaluate/cuda/functions.cuh>
#include <farfield/numerics/double_double.hpp>

namespace farfield::device {

using numerics::DoubleDouble;
using numerics::two_sum;

/// Si(x), with an error below 2 ulp (docs/accuracy.md). Uses the power series up to 2. Beyond 2 it uses pi/2 and the
/// continued fraction of E1(ix) = -Ci(x) + i (Si(x) - pi/2), evaluated from the innermost term outwards.
FARFIELD_RARE double sine_integral(double x) {
    const double size = ::fabs(x);
    if (!(size > 0)) return x;
    if (size <= 2) {
        DoubleDouble sum = {x, 0};
        double power = x;
        FARFIELD_ROLLED
        for (int k = 1; k < 15; ++k) {
            power = -power * (x * x) / ((2 * k) * (2 * k + 1));
            sum = two_sum(sum.hi, power / (2 * k + 1) + sum.lo);
        }
        return sum.hi + sum.lo;
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

/// n choose k, rounded once. Each factor at least doubles the product, so the loop soon overflows or ends.
FARFIELD_RARE double binomial(double n, double k) {
    constexpr double most = 16384;
    const bool is_counted = ::trunc(n) == n && ::trunc(k) == k && n >= 0 && n < 0x1p63 && k - k == 0;
    if (!is_counted) return not_a_number();
    if (k < 0 || k > n) return 0;
    const double fewer = k <= n - k ? k : n - k;
    if (!(fewer <= most)) return not_a_number();
    DoubleDouble product = {1, 0};
    int scale = 0;
    FARFIELD_ROLLED
    for (double i = 1; i <= fewer && scale < 3; ++i) {
        product = product * two_sum(n, i - fewer) / DoubleDouble{i, 0};
        if (product.hi > 0x1p600) {
            product = DoubleDouble{product.hi * 0x1p-600, product.lo * 0x1p-600};
            ++scale;
        }
    }
    return ::ldexp(product.hi + product.lo, scale * 600);
}

/// ln 2 as a sum of two doubles.
FARFIELD_BOTH DoubleDouble wide_ln2() {
    return {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
}

/// log(a/b) of positive numbers, with a relative error below 2^-95. Scales a by a power of 2 to within a factor sqrt(2)
/// of b, and adds 2 atanh((a-b)/(a+b)) and a multiple of ln 2. Small differences of a and b keep their digits.
FARFIELD_RARE DoubleDouble wide_log_of_ratio(double a, double b) {
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
    const DoubleDouble ratio = two_sum(near, -base) / two_sum(near, base);
    const DoubleDouble square = ratio * ratio;
    constexpr int terms = 24;  // 0.1716^(2*24) is 2^-122
    DoubleDouble series{0, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 0; --k) series =
        series * square + DoubleDouble{1, 0} / DoubleDouble{2.0 * k + 1, 0};
    return DoubleDouble{2, 0} * ratio * series + wide_ln2() * DoubleDouble{static_cast<double>(exponent), 0};
}

/// exp(x) for |x| < 700, with a relative error below 2^-90.
FARFIELD_RARE DoubleDouble wide_exp(DoubleDouble x) {
    const double count = ::rint(x.hi * 1.4426950408889634);
    const DoubleDouble rest = x - wide_ln2() * DoubleDouble{count, 0};
    constexpr int terms = 26;  // 0.35^26/26! is 2^-127
    DoubleDouble series{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) series =
        DoubleDouble{1, 0} + series * rest / DoubleDouble{static_cast<double>(k), 0};
    const int exponent = static_cast<int>(count);
    return {::ldexp(series.hi, exponent), ::ldexp(series.lo, exponent)};
}

/// The angle of (x, y), with a relative error below 2^-90: one Newton step from the angle in double. The sine and the
/// cosine of that angle come from the Taylor series at an eighth of it, doubled three times.
FARFIELD_RARE DoubleDouble wide_atan2(double y, double x) {
    const double angle = ::atan2(y, x);
    const DoubleDouble part{angle * 0.125, 0};
    const DoubleDouble square = -(part * part);
    constexpr int terms = 14;  // 0.4^29/29! is 2^-141
    DoubleDouble sine{1, 0};
    DoubleDouble cosine{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) {
        sine = DoubleDouble{1, 0} + sine * square / DoubleDouble{2.0 * k * (2.0 * k + 1), 0};
        cosine = DoubleDouble{1, 0} + cosine * square / DoubleDouble{2.0 * k * (2.0 * k - 1), 0};
    }
    sine = sine * part;
    FARFIELD_ROLLED for (int doubling = 0; doubling < 3; ++doubling) {
        const DoubleDouble doubled = DoubleDouble{2, 0} * sine * cosine;
        cosine = DoubleDouble{1, 0} - DoubleDouble{2, 0} * sine * sine;
        sine = doubled;
    }
    const DoubleDouble above = DoubleDouble{y, 0} * cosine - DoubleDouble{x, 0} * sine;
    const DoubleDouble below = DoubleDouble{x, 0} * cosine + DoubleDouble{y, 0} * sine;
    return DoubleDouble{angle, 0} + above / below;
}

}  // namespace farfield::device
