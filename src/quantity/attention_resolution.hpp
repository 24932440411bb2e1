// Attention resolution R(s) of a row of expected scores.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/array.hpp>

namespace farfield::quantity {

/// The terms of R(s): p_i = exp(scale s_i) / sum_j exp(scale s_j).
struct Resolution {
    core::Cell value;        ///< sum over i = 0..last of p_i (p_i - p_(i+1))
    core::Cell sum_squares;  ///< sum over i = 0..N of p_i^2
    core::Cell largest;      ///< max over i = 0..N of p_i
};

/// The input of resolution(). `scores` has s_0 .. s_N, and also s_(N+1) if `last` is N and `after` does not give it.
/// There are enclosures of all of them or of none.
struct ResolutionInput {
    evaluate::Array scores;
    std::span<const core::Enclosure> enclosures = {};
    double scale = 1;
    core::Enclosure scale_enclosure = {1, 1};
    std::optional<double> after = std::nullopt;
    std::size_t N = 0;     ///< sums run over 0..N
    std::size_t last = 0;  ///< the numerator's sum runs over 0..last, at most N
};

/// R(s) = sum over i = 0..N of e^(s_i) (e^(s_i) - e^(s_(i+1))) / (sum over i = 0..N of e^(s_i))^2, which is at most 1.
/// Reads as: how much of the attention at a distance is lost one token farther, averaged over the attention itself.
/// Scores are shifted by their largest before exp, so that none overflows. Accuracy: 1e-14 of the sum of squares;
/// enclosed by interval arithmetic if the scores are enclosed. Source: Sun et al. 2023, Eq. (4).
Resolution resolution(const ResolutionInput& input);

}  // namespace farfield::quantity
