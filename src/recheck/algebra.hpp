// Equality of formulas by exact algebra: fractions of sums of products of names and exponentials.
#pragma once

#include "recheck/tree.hpp"

namespace farfield::recheck {

/// Whether both are equal wherever both have a value, by expanding their difference over the complex rationals: sines
/// and cosines are written as exponentials, exponents of products are added, and powers of positive numbers are written
/// as exponentials. Other functions (log, sqrt, ...) become new names. True is a proof; false proves nothing.
bool are_equal(const Node& left, const Node& right);

}  // namespace farfield::recheck
