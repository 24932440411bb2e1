// What figures call series, and axes in words.
#pragma once

#include <farfield/core/table.hpp>
#include <string>
#include <string_view>

namespace farfield::report {

/// A minus sign in place of a hyphen in front of a number.
std::string with_minus(std::string_view number);

/// The name of a series for a legend: the quantity's label; "shift \u22123" for what is measured of the training
/// shift[delta=-3]; "row, w = 40" for row[w=40]; text values alone ("nope" for urn[scheme=nope]).
std::string series_label(const core::Result& quantity);

/// The quantity's own name for a legend, where several series would have one label: "r rope, length 128".
std::string long_label(const core::Result& quantity);

/// The variable of a quantity's series in words with its unit; the column's name where there are none.
std::string axis_words(std::string_view kind, const std::string& column);

}  // namespace farfield::report
