// The numbers that a model expects, ready for comparison with a tensor.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/lanes.hpp"

namespace farfield::compare {

struct Expected {
    std::vector<double> value;       ///< rounded to the tensor's format
    std::vector<double> per_unit;    ///< 1 / unit
    std::vector<std::uint8_t> seen;  ///< whether the number is compared
};

Expected expect(const Case& all, const Model& model, const Lanes& lanes);

}  // namespace farfield::compare
