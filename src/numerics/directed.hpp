// Single operations rounded downward, upward as their mirror images, in the processor's usual rounding mode: the error
// of the nearest result is computed exactly, and its sign says whether to step to the neighbour.
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

/// a + b rounded down; NaN for inf - inf.
double add_down(double a, double b);
inline double add_up(double a, double b) {
    return -add_down(-a, -b);
}

/// a b rounded down; NaN for zero times infinity.
double multiply_down(double a, double b);
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
