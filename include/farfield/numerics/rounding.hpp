// Rounding of values that a double cannot represent to a number format, without rounding twice.
#pragma once

#include <optional>

#include "farfield/numerics/format.hpp"
#include "farfield/numerics/interval.hpp"
#include "farfield/numerics/multiprecision.hpp"

namespace farfield::numerics {

/// `value` rounded once to the nearest number of the format, ties to even, overflow by the format's rule; exact.
double round_to(const Format& format, const Multiprecision& value);

/// The correctly rounded value, if all numbers in the enclosure round to the same value. Otherwise nothing, and the
/// caller must narrow the enclosure. Nothing for an undefined interval.
std::optional<double> round_to(const Format& format, const Interval& enclosure);

}  // namespace farfield::numerics
