// The widths of texts, so that figures have room for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace farfield::report {

/// The width in pixels of a text in DejaVu Sans of that size. Characters beyond ASCII have the width of most characters
/// of their kind, or more.
double text_width(std::string_view text, double size);

/// The text in lines of at most this width, broken at blanks; a wider word is broken inside. Line breaks of the text
/// are kept. At least one line.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

}  // namespace farfield::report
