// Enclosures: an interval says that a number lies between two doubles, ends included, and its arithmetic keeps that
// true.
//
// The ends of a sum, difference, product, quotient or root are the true bounds rounded outward, to the neighbouring
// doubles at most; nothing depends on the processor's rounding mode. Three rules hold for every function of intervals:
//
//  - An infinite end belongs to the interval, as a number may have overflowed to it or be infinite by the user's wish.
//  - Where the result is undefined (NaN) for any number of the operands, the result is the undefined interval, both of
//  whose
//    ends are NaN: "nothing is known, perhaps it is not a number". It goes through every function. So sqrt([-1, 4]),
//    [0, 1]/[0, 1], [1, inf] - [1, inf] and [0, 1]*[2, inf] are undefined.
//  - Zero has no sign that can be relied on: [1, 1]/[0, 1] holds both infinities and is the whole line.
//
// An interval is valid when lo <= hi or both are NaN; functions keep validity and do not check for it.
#pragma once

#include <cmath>
#include <limits>
#include <string_view>

#include "farfield/numerics/truth.hpp"

namespace farfield::numerics {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// All extended real numbers x with lo <= x <= hi, or the undefined interval.
struct Interval {
    double lo;
    double hi;
};

/// The interval of one number (the undefined one for NaN).
constexpr Interval point(double x) {
    return {x, x};
}
/// The interval of every number, which is still defined: [-inf, inf].
constexpr Interval whole_line() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
}
/// The undefined interval: nothing is known of the number.
constexpr Interval undefined_interval() {
    return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
}

/// The narrowest interval around the decimal number `text` (`0.4`, `1e-7`, a sign allowed).
/// Throws core::PreconditionError when `text` is anything else.
Interval enclose_decimal(std::string_view text);
/// The narrowest intervals around the circle constant and Euler's number.
Interval enclose_pi();
Interval enclose_e();

inline bool is_undefined(const Interval& x) {
    return std::isnan(x.lo) || std::isnan(x.hi);
}
inline bool is_point(const Interval& x) {
    return x.lo == x.hi;
}
/// Whether `number` may be the enclosed number. Always true for the undefined interval, which may also enclose NaN.
inline bool contains(const Interval& x, double number) {
    return is_undefined(x) || (x.lo <= number && number <= x.hi);
}
/// Whether every number of `inner` is one of `outer`.
inline bool contains(const Interval& outer, const Interval& inner) {
    return is_undefined(outer) || (outer.lo <= inner.lo && inner.hi <= outer.hi);
}
/// The narrowest interval around both: the value of a conditional whose condition is unknown.
Interval hull(const Interval& a, const Interval& b);
/// hi - lo rounded up; NaN if undefined.
double width(const Interval& x);
/// A double inside, near the middle; NaN if undefined, and zero for the whole line.
double midpoint(const Interval& x);

Interval operator-(const Interval& x);
Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator/(const Interval& a, const Interval& b);
/// Square root; undefined where x reaches below zero.
Interval sqrt(const Interval& x);

Interval abs(const Interval& x);
Interval floor(const Interval& x);
Interval ceil(const Interval& x);
/// The nearest integers, ties to even.
Interval round(const Interval& x);
/// -1, 0 or 1, or an interval of these.
Interval sign(const Interval& x);
/// Bounds of the smaller (larger) of both.
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);
/// min(max(x, low), high).
Interval clamp(const Interval& x, const Interval& low, const Interval& high);

/// Comparisons: yes when true of every pair of numbers of a and b, no when of none; unknown if either is undefined.
Truth less(const Interval& a, const Interval& b);
Truth less_equal(const Interval& a, const Interval& b);
Truth equal(const Interval& a, const Interval& b);

}  // namespace farfield::numerics
