// Checks loops in conditions.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// Reports all() and exists() over no integer, or with a condition that is the same for each integer.
void check_quantifiers(const Node& tree, const Source& source, core::Problems& problems);

}  // namespace farfield::formula
