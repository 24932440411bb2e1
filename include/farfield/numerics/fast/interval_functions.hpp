// Elementary functions of intervals on SLEEF: its results widened outward by a stated number of units in the last
// place, some 20 to 100 nanoseconds a call.
//
// Rigour: as good as SLEEF's word, that its functions are at most 1.0 ulp off; 2 ulp are allowed for, on arguments
// where a test measures the error (docs/accuracy.md). All other arguments are left to
// farfield/numerics/interval_functions.hpp. Results known exactly (exp(0), log(1), x^0, x^1) are points, and no bound
// leaves the function's range.
#pragma once

#include "farfield/numerics/interval.hpp"

namespace farfield::numerics::fast {

/// Each function has the meaning and rules of the function of the same name in farfield::numerics.
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) Interval stem(const Interval& x);
#include "farfield/numerics/functions.def"
Interval atan2(const Interval& y, const Interval& x);
Interval pow(const Interval& base, const Interval& exponent);
Interval softplus(const Interval& x);
Interval sigmoid(const Interval& x);

}  // namespace farfield::numerics::fast
