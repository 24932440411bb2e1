// Correction for several tests in one study.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

#include <farfield/core/table.hpp>

namespace farfield::quantity {

/// The default of the largest p at which a test counts as significant.
inline constexpr const char* usual_alpha = "0.05";

/// The number of tests of a quantity of this kind: 1 for a t-test, 2 for a correlation (Pearson's and Spearman's),
/// otherwise 0.
std::size_t tests_of(std::string_view kind);

/// Holm's correction of all tests among the results. Each p gets a corrected p whose name ends in `_holm`, and the
/// `sign` of a t-test does not exist if the corrected p is above its `alpha`. The study has `tests` tests. Tests that
/// are not among the results count as the least significant; so do tests without a p, which get no corrected p.
void correct_for_tests(std::deque<core::Result>& results, std::size_t tests);

}  // namespace farfield::quantity
