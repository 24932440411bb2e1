// Correction for several tests in one study.
#pragma once

#include <cstddef>
#include <deque>

#include <farfield/core/table.hpp>

namespace farfield::quantity {

/// Holm's correction of the t-tests among the results: each gets `p_holm`, and its `sign` does not exist where that is
/// above its `alpha`. The study has `tests` of them; those that are not among the results count as the least
/// significant.
void correct_for_tests(std::deque<core::Result>& results, std::size_t tests);

}  // namespace farfield::quantity
