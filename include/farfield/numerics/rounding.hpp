// Rounding to a number format of values that a double does not hold, without rounding twice.
#pragma once

#include <optional>

#include "farfield/numerics/format.hpp"
#include "farfield/numerics/interval.hpp"
#include "farfield/numerics/multiprecision.hpp"

namespace farfield::numerics {

/// `value` rounded once to the nearest number of the format, ties to even, overflow by the format's rule; exact.
double round_to(const Format& format, const Multiprecision& value);

/// The correctly rounded value of every number in the enclosure, where they all round alike; otherwise nothing, and the
/// caller narrows the enclosure. Nothing for an undefined interval.
std::optional<double> round_to(const Format& format, const Interval& enclosure);

}  // namespace farfield::numerics
