// Large arrays whose first access is fast.
#pragma once

#include <cstddef>
#include <vector>

namespace farfield::numerics {

/// `count` zeros. A large array asks the system for large pages, and all processors provide them: the page faults of a
/// first touch would take longer than most formulas (2 of 3 ms for 10^6 values). If the system has no large pages, the
/// memory is ordinary.
std::vector<double> zeros(std::size_t count);

/// Asks the system for large pages, of 2 MiB, within [begin, begin + bytes). Call it before the first access.
void ask_for_large_pages(void* begin, std::size_t bytes);

}  // namespace farfield::numerics
