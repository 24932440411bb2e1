// Results of folds over an array: the same structures on the host and in a device's code.
#pragma once

#include <cstddef>
#include <limits>

namespace farfield::evaluate {

/// No index.
constexpr std::size_t nowhere = ~std::size_t{0};

/// The least and the greatest number of an array without its NaN, the first index of each, and the first index of a
/// number that is NaN or not finite.
struct Extremes {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -std::numeric_limits<double>::infinity();
    std::size_t at_least = nowhere;
    std::size_t at_greatest = nowhere;
    std::size_t first_nan = nowhere;
    std::size_t first_not_finite = nowhere;
};

/// Over w_i = exp(scale x_i - shift): sums of w_i, of w_i^2 and of w_i (w_i - w_(i+1)); shift is the largest exponent.
struct RowSums {
    double shift = -std::numeric_limits<double>::infinity();
    double total = 0;
    double squares = 0;
    double falls = 0;
};

}  // namespace farfield::evaluate
