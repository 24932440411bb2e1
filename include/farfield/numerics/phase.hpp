// Angles n theta reduced to one turn without losing their digits, for sums of waves at large distances.
#pragma once

#include <cstdint>

#include "farfield/numerics/double_double.hpp"
#include "farfield/numerics/multiprecision.hpp"

namespace farfield::numerics {

/// The number nearest to `value`: relative error at most 2^-106. Throws nothing; hi contains NaN or infinity.
DoubleDouble to_double_double(const Multiprecision& value);

/// n theta - 2 pi k for the integer k that brings it nearest to zero; reads as: the angle after n steps of theta.
/// theta in radians, as a double-double (the nearest double alone would lose n 2^-53 radians); |n| <= 2^53 and
/// |n theta| <= 2^40. The result lies in [-pi, pi], up to 2^-10 beyond, with an absolute error below 2^-100 (the errors
/// of the double-double additions alone); its rounding to one double adds at most 2^-52. Throws core::PreconditionError
/// outside these bounds, and for NaN.
DoubleDouble reduced_phase(const DoubleDouble& theta, std::int64_t n);

}  // namespace farfield::numerics
