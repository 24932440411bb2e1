// Single operations rounded downward, in the processor's default rounding mode: the error of the nearest result is
// computed exactly, and its sign decides whether to step to the neighbour. Rounding upward uses mirrored arguments.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace farfield::numerics {

/// The double below x; x for -inf and NaN.
inline double step_down(double x) {
    if (!(x > -std::numeric_limits<double>::infinity())) return x;
    if (x == 0) return -std::numeric_limits<double>::denorm_min();
    const auto bits = std::bit_cast<std::uint64_t>(x);
    return std::bit_cast<double>(x > 0 ? bits - 1 : bits + 1);
}
inline double step_up(double x) {
    return -step_down(-x);
}

namespace details {

/// An infinite nearest result. With an infinite operand it is exact; with finite operands it is an overflow, and the
/// true value is above the largest double.
inline double infinite_down(double result, bool finite_operands) {
    return finite_operands && result > 0 ? std::numeric_limits<double>::max() : result;
}

/// Errors of products and remainders are multiples of 2^-106 of the result and stay normal above this.
constexpr double safe = 0x1p-900;

/// Steps down unless the error (true minus nearest) is known to be at least zero. A NaN error steps down too.
inline double corrected(double nearest, double error) {
    return error >= 0 ? nearest : step_down(nearest);
}

}  // namespace details

/// a + b rounded down; NaN for inf - inf.
inline double add_down(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return details::infinite_down(sum, std::isfinite(a) && std::isfinite(b));
    const double part = sum - a;
    return details::corrected(sum, (a - (sum - part)) + (b - part));
}
inline double add_up(double a, double b) {
    return -add_down(-a, -b);
}

/// The same by MPFR, for products so small that their error term would underflow.
double multiply_down_exactly(double a, double b);

/// a b rounded down; NaN for zero times infinity.
inline double multiply_down(double a, double b) {
    const double product = a * b;
    if (!std::isfinite(product)) return details::infinite_down(product, std::isfinite(a) && std::isfinite(b));
    if (a == 0 || b == 0) return 0;
    if (std::fabs(product) < details::safe) return multiply_down_exactly(a, b);
    return details::corrected(product, std::fma(a, b, -product));
}
inline double multiply_up(double a, double b) {
    return -multiply_down(-a, b);
}

/// a/b rounded down, b not zero; NaN for a quotient of infinities.
double divide_down(double a, double b);
inline double divide_up(double a, double b) {
    return -divide_down(-a, b);
}

/// The root of x >= 0 rounded down and up.
double sqrt_down(double x);
double sqrt_up(double x);

}  // namespace farfield::numerics
