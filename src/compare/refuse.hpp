// Error messages for a tensor that cannot be compared, in the form of those for one that cannot be read.
#pragma once

#include <farfield/compare/compare.hpp>

#include <fmt/format.h>
#include <string>

#include "tensor/refuse.hpp"

namespace farfield::compare {

using tensor::refuse;

inline void check_tolerance(const std::string& name, double tolerance) {
    if (!(tolerance >= 0 && tolerance <= most_tolerance))
        refuse(name, fmt::format("the tolerance is {} units in the last place", tolerance),
               fmt::format("a number from 0 to {}", most_tolerance));
}

}  // namespace farfield::compare
