// Rows of enclosed numbers as polynomials, and systems of linear equations, by Arb.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "recheck/interval.hpp"

namespace farfield::recheck {

using Row = std::vector<Interval>;

/// The row convolved with itself `count` times in all, cut to its length.
Row convolution_power(const Row& row, unsigned long count);
Row convolution(const Row& a, const Row& b);

/// The solution of a square system; nothing where Arb cannot show that there is one.
std::optional<Row> solution(const std::vector<Row>& matrix, const Row& right);

}  // namespace farfield::recheck
