// Elementary functions of intervals, proven: the ends are computed by MPFR with directed rounding at 96 bits and
// rounded outward to doubles. Each result is, but for rare last bits, the narrowest interval around the true range; one
// to three microseconds a call. farfield/numerics/fast/interval_functions.hpp has the same functions on SLEEF.
//
// Interval's three rules hold: infinite ends belong, undefined anywhere is undefined throughout, zeros have no sign.
#pragma once

#include "farfield/numerics/interval.hpp"

namespace farfield::numerics {

Interval exp(const Interval& x);
/// exp(x) - 1.
Interval expm1(const Interval& x);
/// Natural logarithm; -inf at zero, undefined where x reaches below.
Interval log(const Interval& x);
/// log(1 + x).
Interval log1p(const Interval& x);
Interval log2(const Interval& x);
/// Trigonometric functions of radians; undefined where x is infinite.
Interval sin(const Interval& x);
Interval cos(const Interval& x);
/// The whole line where x holds a pole.
Interval tan(const Interval& x);
Interval tanh(const Interval& x);
/// The angle of the point (x, y), in [-pi, pi]; all of that where the box touches the negative x axis or the origin,
/// since the angle there hangs on the sign of a zero.
Interval atan2(const Interval& y, const Interval& x);
/// a to the power b; 0^0 = 1. Undefined where a reaches below zero, unless b is one integer. The whole line where a
/// holds zero and b an odd negative integer, or b is not a point and reaches below zero.
Interval pow(const Interval& a, const Interval& b);
/// a - b floor(a/b), the remainder with the sign of b: exact for points but for one rounding, otherwise bounded by one
/// period where a/b stays between two integers, and by all of [0, b] where it does not. Undefined where b holds zero.
Interval mod(const Interval& a, const Interval& b);
/// log(1 + exp(x)).
Interval softplus(const Interval& x);
/// 1/(1 + exp(-x)).
Interval sigmoid(const Interval& x);
/// The error function.
Interval erf(const Interval& x);

}  // namespace farfield::numerics
