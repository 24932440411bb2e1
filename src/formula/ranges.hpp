// Checks the ranges that formulas state.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// Reports loops over no integer, clamp() with its bounds in the wrong order, and all() and exists() whose condition is
/// the same for each integer. Only bounds that are numbers are checked.
void check_ranges(const Node& tree, const Source& source, core::Problems& problems);

}  // namespace farfield::formula
