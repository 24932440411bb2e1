// The smallest, largest, first and last value of a curve.
#pragma once

#include <string_view>

#include <farfield/core/table.hpp>

#include "quantity/series_input.hpp"

namespace farfield::quantity {

/// What every kind that sets these values states of its fields (quantity::Kind::facts).
inline constexpr std::string_view summary_facts =
    "max >= min and max >= first and max >= last and first >= min and last >= min";

/// The same of every row of the curve, for kinds whose series is the curve.
inline constexpr std::string_view row_facts = "value[n] <= max and value[n] >= min";

/// Sets min, argmin, max, argmax, first and last. The arguments are the variable's values there, the first one on ties.
/// Their enclosures are the hull of all points that may have the best value according to the enclosures.
void summarise(const View& view, core::Result& result);
/// The same with the extremes of the view's values.
void summarise(const View& view, const evaluate::Extremes& extremes, core::Result& result);

}  // namespace farfield::quantity
