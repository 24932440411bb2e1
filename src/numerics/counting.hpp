// Integers that loops count to.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include <farfield/numerics/interval.hpp>

namespace farfield::numerics {

/// Every integer up to here has its own value in 64 bits; loops over exact numbers count no further.
inline constexpr std::int64_t largest_counted = std::numeric_limits<std::int64_t>::max();

/// A point if the integer is a double (as all are up to 2^53), otherwise the two doubles around it.
inline Interval enclose_integer(std::int64_t value) {
    const double near = static_cast<double>(value);
    // 2^63 is a double, but not a 64-bit integer.
    if (near >= 0x1p63) return {std::nextafter(near, 0), near};
    const auto back = static_cast<std::int64_t>(near);
    if (back == value) return point(near);
    return back > value ? Interval{std::nextafter(near, -infinity), near}
                        : Interval{near, std::nextafter(near, infinity)};
}

}  // namespace farfield::numerics
