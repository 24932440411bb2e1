// Means, deviations and correlations of samples, and Student's distribution.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace farfield::numerics {

/// The exponent e of the power of two by which numbers are divided before they are squared: that of the largest
/// magnitude, or 0 if this is 0, not finite, or from 2^-200 to 2^200. Then 4th powers neither overflow nor underflow.
int squaring_exponent(std::span<const double> x);

/// sum x / n, by a compensated sum; NaN of nothing.
double mean(std::span<const double> x);

/// Root of sum (x - mean)^2 / (n - 1), in two passes; NaN of fewer than two numbers.
double sample_deviation(std::span<const double> x);

/// Pearson's correlation: sum (x - mean x)(y - mean y) over the root of both sums of squares, in [-1, 1]; NaN where one
/// sample is constant or shorter than two. Throws core::PreconditionError when the lengths differ.
double pearson_correlation(std::span<const double> x, std::span<const double> y);

/// The rank of each number, 1 for the least; ties share the mean of their ranks.
std::vector<double> ranks(std::span<const double> x);

/// Spearman's correlation: Pearson's of the ranks, ties sharing the mean of their ranks; NaN where a number is NaN.
/// Errors as above.
double spearman_correlation(std::span<const double> x, std::span<const double> y);

/// The probability that a Student variable exceeds |t| in absolute value, good to 13 digits also where small; NaN for
/// NaN or degrees of freedom not above 0.
double two_sided_p(double t, double degrees_of_freedom);

}  // namespace farfield::numerics
