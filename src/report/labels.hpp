// Names of series and axes in figures.
#pragma once

#include <farfield/core/table.hpp>
#include <string>
#include <string_view>

namespace farfield::report {

/// Replaces a hyphen before a number by a minus sign.
std::string with_minus(std::string_view number);

/// The name of a series for a legend: the quantity's label; "shift \u22123" for a measurement of the training
/// shift[delta=-3]; "row, w = 40" for row[w=40]; text values alone ("nope" for urn[scheme=nope]).
std::string series_label(const core::Result& quantity);

/// The quantity's own name for a legend, if several series would have the same label: "r rope, length 128".
std::string long_label(const core::Result& quantity);

/// The variable of a quantity's series in words with its unit; the column's name if there are none.
std::string axis_words(std::string_view kind, const std::string& column);

}  // namespace farfield::report
