// Checks the ranges and choices that formulas state.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// Reports loops over no integer and clamp() with its bounds in the wrong order, if the bounds are numbers, and all()
/// and exists() whose condition is the same for each integer.
void check_ranges(const Node& tree, const Source& source, core::Problems& problems);

/// Reports conditions of if() that consist of numbers alone. Names of constants such as pi are not looked up.
void check_choices(const Node& tree, const Source& source, core::Problems& problems);

}  // namespace farfield::formula
