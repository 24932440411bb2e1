// Softmax weights of a long row and their sums, computed on all processors about as fast as memory allows.
#pragma once

#include <span>

#include <farfield/evaluate/array_folds.hpp>

namespace farfield::evaluate {

/// The sums over a row, not empty; `next` is the logit (already times `scale`) after the last, -inf if none follows.
/// Blocks of fixed size are summed separately and added in order, so that the digits do not depend on the number of
/// processors. Each sum is within (44 + 2 |scale x_i - shift|) 2^-53 of the magnitude of each of its terms. NaN if some
/// scale x_i is NaN or inf, or all are -inf. The row is read once.
RowSums sum_row(std::span<const double> x, double scale, double next);

/// result_i = exp(x_i - shift)/total, the softmax of a row, and the running sums of these in `sums` unless it is empty:
/// each within 600 x 2^-53 of itself, and as for sum_row() for its exponent; spans are as long as x. NaN where
/// sum_row() is. The row is read twice.
RowSums softmax_row(std::span<const double> x, std::span<double> result, std::span<double> sums);

/// Running sums of numbers that are not negative, in `sums`, each within 600 x 2^-53 of itself.
void running_sums(std::span<const double> x, std::span<double> sums);

}  // namespace farfield::evaluate
