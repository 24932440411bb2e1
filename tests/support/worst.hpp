// The largest of many errors.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace farfield::tests {

/// The larger of two errors. A NaN counts as infinite: std::max would pass over it, as each comparison with it is
/// false.
template <class Real>
Real worse(Real worst, Real error) {
    return std::isnan(error) ? std::numeric_limits<Real>::infinity() : std::max(worst, error);
}

}  // namespace farfield::tests
