// Numbers for the tests of kernels.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "model/kernel/kernels.hpp"

namespace farfield::model {

/// sin(pace), sin(2 pace), ...
template <class Real>
std::vector<Real> waves(std::size_t count, double pace) {
    std::vector<Real> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(static_cast<Real>(std::sin(pace * static_cast<double>(i + 1))));
    }
    return values;
}

}  // namespace farfield::model
