// Cholesky factors of the summed products of a fit's points.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

/// The Cholesky triangle of the products of the columns and the data, with one row for each; a dependent column has no
/// row.
std::vector<std::vector<DoubleDouble>> factors_of(const FitProducts& products);

bool all_finite(const FitProducts& products);

/// The sum of the weights.
double weights_of(const FitProducts& products);

/// Powers of two by which columns, data and weights were divided before their products were summed.
struct FitScales {
    std::vector<int> columns;
    int data = 0;
    int weights = 0;  ///< even
};

/// fit_linear() for products of scaled columns; `residuals` gets the parameters of the columns as they were, and gives
/// residuals of the data as they were.
Fit fit_scaled(const FitProducts& products, const FitScales& scales,
               const std::function<FitResiduals(std::span<const double> parameters)>& residuals);

}  // namespace farfield::numerics
