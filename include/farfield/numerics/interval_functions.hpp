// Elementary functions of intervals, proven: the ends are computed by MPFR with directed rounding at 96 bits and
// rounded outward to doubles. Each result is, but for rare last bits, the narrowest interval around the true range; one
// to three microseconds a call. farfield/numerics/fast/interval_functions.hpp has the same functions on SLEEF.
//
// Interval's three rules hold: infinite ends belong, undefined anywhere is undefined throughout, zeros have no sign.
#pragma once

#include "farfield/numerics/interval.hpp"

namespace farfield::numerics {

/// exp, expm1, log, ...: one of each function of functions.def. Those of radians are undefined where x is infinite; a
/// logarithm is -inf where its argument is zero and undefined where x reaches below; tan is the whole line where x
/// holds a pole.
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) Interval stem(const Interval& x);
#include "farfield/numerics/functions.def"
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
/// Si, whose extremes lie at the multiples of pi, the greatest at pi.
Interval sine_integral(const Interval& x);
/// Of single integers; of anything wider it is undefined.
Interval binomial(const Interval& n, const Interval& k);
/// 1/(1 + exp(-x)).
Interval sigmoid(const Interval& x);

}  // namespace farfield::numerics
