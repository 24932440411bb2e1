// The derivative of a formula, again a formula.
#pragma once

#include <string>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// d tree / d name, simplified. Steps (floor, ceil, round, sign, t5_bucket) have derivative 0, abs has sign, min, max
/// and clamp the derivative of the branch taken (the first at a tie), as automatic differentiation has it. Rounding to
/// a number format has derivative 1: a gradient passes straight through. It is not a slope, so that proofs may use this
/// only where formula/assumptions.hpp shows the formula to be Lipschitz-continuous, which it never does of rounding.
/// Where a part of the derivative is infinite (the slope of sqrt at 0), it has no value. `tree` must be real; throws
/// core::PreconditionError otherwise.
Node derivative(const Node& tree, const std::string& name);

/// d tree / d table[entry], where `entry` is a formula: the entry of a learned table.
Node derivative_of_entry(const Node& tree, const std::string& table, const Node& entry);

}  // namespace farfield::formula
