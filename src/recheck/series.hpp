// Rows of enclosed numbers as polynomials, and systems of linear equations, with Arb.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recheck/interval.hpp"

namespace farfield::recheck {

using Row = std::vector<Interval>;

/// The `count`-th power of the row under convolution, cut to its length.
Row convolution_power(const Row& row, unsigned long count);
Row convolution(const Row& a, const Row& b);

/// The solution of a square system; nothing if Arb cannot prove that there is one.
std::optional<Row> solution(const std::vector<Row>& matrix, const Row& right);

}  // namespace farfield::recheck
