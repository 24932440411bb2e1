// Large arrays that are quick to touch for the first time.
#pragma once

#include <cstddef>
#include <vector>

namespace farfield::core {

/// `count` zeros. A large array asks the system for large pages: the page faults of its first touch would take longer
/// than most formulas (2 of 3 ms for 10^6 values). Where the system has none to give, the array is an ordinary one.
std::vector<double> zeros(std::size_t count);

}  // namespace farfield::core
