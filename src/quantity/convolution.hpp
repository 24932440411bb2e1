// Powers of a row of attention under convolution: the attention of several layers by distance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/array.hpp>

namespace farfield::quantity {

/// Probabilities by distance 0, 1, 2, ... and, if known, enclosures of the true ones (empty, or one for each).
struct Row {
    core::Values values;
    std::vector<core::Enclosure> enclosures;

    bool is_enclosed() const { return !enclosures.empty(); }
};

/// c_n = sum over j = 0..n of a_j b_(n-j), for n below the rows' common length. Reads as: the chance that two steps,
/// one drawn from each row, add up to n. Entries must lie in [0, 1] and each row add up to at most 1. Accuracy: up to
/// 4096 distances the sum itself is computed, and each c_n is within (n + 2) 2^-52 of itself. Beyond 4096, an FFT is
/// used, and each is within numerics::convolution_error_bound(), which is 2^-48 log2(2 length) (|a| |b| + min(|a|,
/// |b|)) with Euclidean norms for rows that add up to 1, except that the sum is used if a row has at most 64 entries
/// before its trailing zeros. Enclosures include these errors. Cost: n^2, or n log n. Throws core::PreconditionError
/// when the lengths differ.
Row convolve(const Row& a, const Row& b);

/// The `layers`-th power of the row under convolution, exact below the row's length and not renormalised; layers >= 1.
Row convolution_power(const Row& row, std::size_t layers);

/// One layer with a residual path: residual at distance 0, plus (1 - residual) times the row; residual is in [0, 1] and
/// is followed by its enclosure.
Row with_residual(const Row& row, double residual, const core::Enclosure& enclosure);

/// Softmax of a row of logits: exp(b_n) / sum of exp(b_m), -inf giving 0. Logits are shifted by their largest. Throws
/// core::PreconditionError when no logit is finite. Source: Chi et al. 2023, Eq. (1), with equal contents.
Row softmax(const evaluate::Array& logits, std::span<const core::Enclosure> enclosures);

/// A row and its running sums.
struct Cumulated {
    Row row;
    Row sums;
};

/// softmax() and cumulate() of logits without enclosures at once, which spares memory traffic.
Cumulated cumulated_softmax(const evaluate::Array& logits);

/// Running sums of the row.
Row cumulate(const Row& row);

}  // namespace farfield::quantity
