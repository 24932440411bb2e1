// Probabilities of Student's t.
#pragma once

#include "recheck/interval.hpp"

namespace farfield::recheck {

/// The probability that |T| >= |t| with this many degrees of freedom, above 0: the regularized incomplete beta function
/// I_x(freedom/2, 1/2) for x = freedom/(freedom + t^2). Only the part of x within [0, 1] is used.
Interval student_p(const Interval& freedom, const Interval& x);

}  // namespace farfield::recheck
