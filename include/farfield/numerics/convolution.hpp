// Convolutions of nonnegative rows, as of attention profiles carried through layers.
#pragma once

#include <span>
#include <vector>

namespace farfield::numerics {

/// c_n = sum_{j=0..n} a_(n-j) b_j for n below a.size(), which b.size() must be; reads as: the distribution of the sum
/// of two independent distances, up to the rows' length. Nothing wraps around and nothing is normalised: what falls
/// beyond the end is lost. Rows: nonnegative and finite; trailing zeros cost nothing. No entry of the result is
/// negative; the digits do not depend on the number of processors. Accuracy: absolute error of each entry at most
/// convolution_error_bound(a, b). Where one row has at most 64 entries before its trailing zeros, products are summed
/// directly and entries have a relative error below 65 x 2^-53 instead, however small they are. Cost: three complex
/// Fourier transforms of the length of the longer row without its trailing zeros, two for a square (b is a, the same
/// memory). Throws core::PreconditionError for a negative, infinite or
/// NaN entry, or rows that differ in length.
std::vector<double> convolve(std::span<const double> a, std::span<const double> b);

/// 2^-48 log2(2 n) (|a| |b| + min(|a| s(b), |b| s(a))) with n entries, Euclidean norms |.| and sums s. Reads as:
/// forward transforms err by a share of the norm of what they transform, and so does the one back, of the product,
/// whose norm is at most either row's times the other's sum. That share is at most 9 2^-53 log2 n for the stages of
/// twos, threes, fours and fives that transforms are made of (Higham, Accuracy and Stability of Numerical Algorithms,
/// Theorem 24.2, for each radix: a product with a rounded root of unity is within 3.7 2^-53, and the sums of a stage
/// within 16 2^-53 for five terms and less for fewer) and 14 2^-53 for the weights and the roots between the two
/// halves; twice it and once more leaves a third of the bound to spare.
double convolution_error_bound(std::span<const double> a, std::span<const double> b);

}  // namespace farfield::numerics
