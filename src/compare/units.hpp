// Units in the last place.
#pragma once

#include <farfield/numerics/format.hpp>

namespace farfield::compare {

/// The spacing of a format's numbers (null: of float64's) at a magnitude.
double spacing(const numerics::Format* format, double magnitude);

}  // namespace farfield::compare
