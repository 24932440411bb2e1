// Finds conditions whose truth follows from the numbers that are typed into them.
#pragma once

#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>

#include "formula/form.hpp"

namespace farfield::claim {

/// Whether the condition needs no computed result: it compares typed numbers, combined by at most the four operations,
/// or compares an expression with itself, or asks a quantity of kind `identity` whether an expression equals itself. It
/// does not need one either if such comparisons of typed numbers decide it for all values of its quantities.
bool is_by_definition(const formula::Node& condition, const std::vector<const core::Result*>& results);

using formula::is_one_expression;

}  // namespace farfield::claim
