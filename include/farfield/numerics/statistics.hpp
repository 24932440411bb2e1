// Means, correlations and t tests of samples.
#pragma once

#include <cstddef>
#include <span>

namespace farfield::numerics {

/// sum x / n, by a compensated sum; NaN of nothing.
double mean(std::span<const double> x);

/// Root of sum (x - mean)^2 / (n - 1), in two passes; NaN of fewer than two numbers.
double sample_deviation(std::span<const double> x);

/// Pearson's correlation: sum (x - mean x)(y - mean y) over the root of both sums of squares, in [-1, 1]; NaN where one
/// sample is constant or shorter than two. Throws core::PreconditionError when the lengths differ.
double pearson_correlation(std::span<const double> x, std::span<const double> y);

/// Spearman's correlation: Pearson's of the ranks, ties sharing the mean of their ranks; NaN where a number is NaN.
/// Errors as above.
double spearman_correlation(std::span<const double> x, std::span<const double> y);

/// A two-sided t test of equal means.
struct TTest {
    double difference = 0;          ///< Of the means, first minus second.
    double t = 0;                   ///< Difference over its standard error.
    double degrees_of_freedom = 0;  ///< Not whole for Welch's test.
    double p = 0;                   ///< Probability of |t| or more if the means are equal.
};

/// Each test gives NaN for t and p where it has too few numbers (two a sample at least) or meets NaN; samples without
/// any spread give an infinite t and p = 0, or NaN where the means are equal too. p is good to 13 digits, also where
/// small.

/// Student's test of the differences a_i - b_i, n - 1 degrees of freedom. Throws core::PreconditionError when lengths
/// differ.
TTest paired_t_test(std::span<const double> a, std::span<const double> b);

/// Welch's test, which lets variances differ: standard error^2 = v_a/n_a + v_b/n_b, with Satterthwaite's degrees of
/// freedom (v_a/n_a + v_b/n_b)^2 / ((v_a/n_a)^2/(n_a - 1) + (v_b/n_b)^2/(n_b - 1)).
TTest welch_t_test(std::span<const double> a, std::span<const double> b);

/// Student's two-sample test under one common variance, n_a + n_b - 2 degrees of freedom.
TTest pooled_t_test(std::span<const double> a, std::span<const double> b);

/// The probability that a Student variable exceeds |t| in absolute value. NaN for NaN or degrees of freedom not above
/// 0.
double two_sided_p(double t, double degrees_of_freedom);

/// The |t| that is exceeded with probability `significance` (0.05: 12.706 for 1, 2.228 for 10 degrees of freedom).
/// Throws core::PreconditionError unless 0 < significance < 1 and degrees_of_freedom > 0.
double critical_t(double significance, double degrees_of_freedom);

}  // namespace farfield::numerics
