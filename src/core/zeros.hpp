// Large arrays that are quick to touch for the first time.
#pragma once

#include <cstddef>
#include <vector>

namespace farfield::core {

/// An empty vector with room for `count` numbers. A large one asks the system for large pages: the page faults of its
/// first touch would take longer than most formulas (2 of 3 ms for 10^6 values). Where the system has none to give, the
/// memory is ordinary.
std::vector<double> room_for(std::size_t count);

/// Has the system provide the pages of [begin, begin + bytes) now. Several threads may each do so with a part.
void provide_pages(void* begin, std::size_t bytes);

constexpr std::size_t large_page = std::size_t{1} << 21;

}  // namespace farfield::core
