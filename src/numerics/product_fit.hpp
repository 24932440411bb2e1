// Cholesky's factors of the products that a fit's points were summed to.
#pragma once

#include <vector>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

/// Cholesky's triangle of the products of the columns and of the data, a row for each; a dependent column has none.
std::vector<std::vector<DoubleDouble>> factors_of(const FitProducts& products);

bool all_finite(const FitProducts& products);

/// The sum of the weights.
double weights_of(const FitProducts& products);

}  // namespace farfield::numerics
