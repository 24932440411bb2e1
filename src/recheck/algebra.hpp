// Equality of formulas by exact algebra: fractions of sums of products of names and exponentials.
#pragma once

#include "recheck/tree.hpp"

namespace farfield::recheck {

/// Whether both are equal wherever both have a value, by expanding their difference over the complex rationals: sines
/// and cosines are spelled by exponentials, products of exponentials added up, powers of positive numbers written as
/// exponentials; what is left (log, sqrt, ...) is a name of its own. True is a proof, false says nothing.
bool are_equal(const Node& left, const Node& right);

}  // namespace farfield::recheck
