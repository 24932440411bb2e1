// Convolutions of nonnegative rows, as of an attention profile carried through layers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace farfield::numerics {

/// First row.size() entries of the `power`-fold linear convolution of `row` with itself; reads as: the distribution of
/// the sum of `power` independent distances drawn from the row, up to the row's length. c_1 = row, c_k[n] =
/// sum_{j=0..n} c_(k-1)[n-j] row[j]. Nothing wraps around and nothing is normalised: what falls beyond the end is lost.
/// `row`: nonnegative and finite; trailing zeros cost nothing. `power`: 1 or more. The result has the row's length and
/// no negative entry. Accuracy: absolute error of each entry at most convolution_error_bound(row, power). Where the
/// shorter factor has at most 64 nonzero leading entries throughout, products are summed directly and entries have a
/// relative error below power times row length times 2^-53 instead, however small they are. Cost: about 2 log2(power)
/// real Fourier transforms of twice the row's length: 10^6 entries, power 12, in half a second. Throws
/// core::PreconditionError for a negative, infinite or NaN entry or a power below 1.
std::vector<double> convolution_power(std::span<const double> row, int power);

/// 12 (power - 1) log2(4 n) 2^-53 s^power with n entries of sum s: the errors of three transforms a product, relative
/// to the product of the sums, through all products (each passes its factors' errors on times the other factor's sum).
double convolution_error_bound(std::span<const double> row, int power);

}  // namespace farfield::numerics
