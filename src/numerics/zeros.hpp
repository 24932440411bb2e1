// Large arrays that are quick to touch for the first time.
#pragma once

#include <cstddef>
#include <vector>

namespace farfield::numerics {

/// `count` zeros. Of a large array all processors provide the pages, which are large ones where the system has them.
std::vector<double> zeros(std::size_t count);

}  // namespace farfield::numerics
