// The largest of many errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace farfield::tests {

/// The larger of two errors. A NaN counts as infinite: std::max would pass over it, as each comparison with it is
/// false.
inline double worse(double worst, double error) {
    return std::isnan(error) ? std::numeric_limits<double>::infinity() : std::max(worst, error);
}

}  // namespace farfield::tests
