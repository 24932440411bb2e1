#include "compare/units.hpp"

#include <algorithm>
#include <cmath>

namespace farfield::compare {

double spacing(const numerics::Format* format, double magnitude) {
    const int digits = format ? format->mantissa_bits : 52;
    const int lowest = format ? numerics::lowest_exponent(*format) : -1022;
    const int highest = format ? numerics::highest_exponent(*format) : 1023;
    const int exponent = std::isfinite(magnitude) && magnitude > 0 ? std::ilogb(magnitude) : lowest;
    return std::ldexp(1.0, std::clamp(exponent, lowest, highest) - digits);
}

}  // namespace farfield::compare
