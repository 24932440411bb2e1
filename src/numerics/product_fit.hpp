// Cholesky factors of the summed products of a fit's points.
#pragma once

#include <vector>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

/// The Cholesky triangle of the products of the columns and the data, with one row for each; a dependent column has no
/// row.
std::vector<std::vector<DoubleDouble>> factors_of(const FitProducts& products);

bool all_finite(const FitProducts& products);

/// The sum of the weights.
double weights_of(const FitProducts& products);

}  // namespace farfield::numerics
