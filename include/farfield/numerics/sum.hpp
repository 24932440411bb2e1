// Sums whose digits do not depend on how many threads there are, and carry the rounding errors along.
#pragma once

#include <cstddef>
#include <span>

#include "farfield/numerics/double_double.hpp"

namespace farfield::numerics {

/// sum x_i over blocks of fixed size. Each block uses several compensated sums in parallel, and the blocks are added in
/// order, so the digits do not depend on the number of threads. Error as for Accumulator::total. At the speed of memory
/// for large spans.
double compensated_sum(std::span<const double> values);

/// sum x_i y_i in the same way, including the rounding errors of the products (Dot2): error below |S| 2^-53 + (n
/// 2^-53)^2 sum |x_i y_i|, unless a product lies below 2^-969. Throws core::PreconditionError when the lengths differ.
double compensated_dot(std::span<const double> x, std::span<const double> y);

}  // namespace farfield::numerics
