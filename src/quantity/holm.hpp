// Correction for several tests in one study.
#pragma once

#include <cstddef>
#include <deque>
#include <string_view>

#include <farfield/core/table.hpp>

namespace farfield::quantity {

/// The largest p at which a test counts as significant, unless it states another.
inline constexpr const char* usual_alpha = "0.05";

/// How many tests a quantity of this kind makes: 1 of a t-test, 2 of a correlation (Pearson's and Spearman's), else 0.
std::size_t tests_of(std::string_view kind);

/// Holm's correction of all tests among the results: each p gets one that ends in `_holm`, and the `sign` of a t-test
/// does not exist where that is above its `alpha`. The study has `tests` of them; those that are not among the results
/// count as the least significant, as do those without a p, which get none.
void correct_for_tests(std::deque<core::Result>& results, std::size_t tests);

}  // namespace farfield::quantity
