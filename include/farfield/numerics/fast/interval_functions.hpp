// Elementary functions of intervals on the C library: its results widened outward by a stated number of units in the
// last place, some 20 to 100 nanoseconds a call.
//
// Rigour: as good as the C library's word. glibc 2.36 documents at most 2 ulp on x86-64 for each function used here
// (manual, "Known Maximum Errors in Math Functions"); 4 ulp are allowed for, and 8 where two such functions are
// composed (softplus, sigmoid). A test holds every function against MPFR. Results known exactly (exp(0), a zero of sin
// at 0, x^0, x^1) are points, and no bound leaves the function's range.
#pragma once

#include "farfield/numerics/interval.hpp"

namespace farfield::numerics::fast {

/// Each as its namesake in farfield::numerics, whose meaning and rules it shares.
Interval exp(const Interval& x);
Interval expm1(const Interval& x);
Interval log(const Interval& x);
Interval log1p(const Interval& x);
Interval log2(const Interval& x);
Interval sin(const Interval& x);
Interval cos(const Interval& x);
Interval tan(const Interval& x);
Interval tanh(const Interval& x);
Interval atan2(const Interval& y, const Interval& x);
Interval pow(const Interval& a, const Interval& b);
Interval softplus(const Interval& x);
Interval sigmoid(const Interval& x);
Interval erf(const Interval& x);

}  // namespace farfield::numerics::fast
