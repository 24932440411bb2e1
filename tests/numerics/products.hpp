// The products and residuals of a fit by plain loops, for fits that are given sums alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "farfield/numerics/double_double.hpp"
#include "farfield/numerics/least_squares.hpp"

namespace farfield::numerics {

using Columns = std::vector<std::vector<double>>;

/// Of columns, ones and data, summed one after the other in twice a double's digits.
inline FitProducts products_of(const Columns& columns, const std::vector<double>& data) {
    std::vector<const std::vector<double>*> factors;
    for (const std::vector<double>& column : columns) factors.push_back(&column);
    const std::vector<double> ones(data.size(), 1.0);
    factors.push_back(&ones);
    factors.push_back(&data);
    FitProducts products{columns.size(), {}};
    for (std::size_t i = 0; i < factors.size(); ++i) {
        for (std::size_t j = i; j < factors.size(); ++j) {
            DoubleDouble sum;
            for (std::size_t row = 0; row < data.size(); ++row)
                sum = sum + two_product((*factors[i])[row], (*factors[j])[row]);
            products.entries.push_back(sum);
        }
    }
    return products;
}

/// Of `data` by the columns; the spread is that of `whole`, the data with what was taken off them.
inline FitResiduals residuals_of(const Columns& columns, const std::vector<double>& data,
                                 const std::vector<double>& whole, std::span<const double> parameters) {
    FitResiduals found{0, 0, 0, data.size()};
    long double mean = 0, squares = 0, spread = 0;
    for (const double y : whole) mean += y / static_cast<long double>(whole.size());
    for (std::size_t row = 0; row < data.size(); ++row) {
        long double residual = data[row];
        for (std::size_t j = 0; j < columns.size(); ++j)
            residual -= static_cast<long double>(parameters[j]) * columns[j][row];
        squares += residual * residual;
        spread += (whole[row] - mean) * (whole[row] - mean);
        found.largest = std::max(found.largest, static_cast<double>(std::fabs(residual)));
    }
    found.squares = static_cast<double>(squares);
    found.spread = static_cast<double>(spread);
    return found;
}

}  // namespace farfield::numerics
