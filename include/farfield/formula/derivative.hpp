// The derivative of a formula, again a formula.
#pragma once

#include <string>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// d tree / d name, simplified. Steps (floor, ceil, round, sign, t5_bucket) have derivative 0, abs has sign, min, max
/// and clamp the derivative of the branch taken (the first at a tie), as automatic differentiation has it. Rounding to
/// a number format has derivative 1, so that gradients pass through it. This is not its slope. Therefore proofs may use
/// derivatives only where formula/assumptions.hpp proves the formula to be Lipschitz-continuous, and it never proves
/// this of rounding. Where a part of the derivative is infinite (the slope of sqrt at 0), the derivative has no value.
/// `tree` must be real; throws core::PreconditionError otherwise.
Node derivative(const Node& tree, const std::string& name);

/// d tree / d table[entry], where `entry` is a formula: the entry of a learned table.
Node derivative_of_entry(const Node& tree, const std::string& table, const Node& entry);

}  // namespace farfield::formula
