// Checks the ranges and choices that formulas state.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

#include "formula/form.hpp"

namespace farfield::formula {

/// Reports loops over no integer, clamp() with its bounds in the wrong order, and all() and exists() whose condition is
/// the same for each integer. Only bounds that are numbers are checked.
void check_ranges(const Node& tree, const Source& source, core::Problems& problems);

/// Reports conditions of if() that are constant, or of which a part has no effect.
void check_choices(const Node& tree, const Source& source, const Facts& facts, const Decide& decide,
                   std::string_view what, core::Problems& problems);

}  // namespace farfield::formula
