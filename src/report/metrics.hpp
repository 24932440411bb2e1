// How wide texts are, so that figures can make room for them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace farfield::report {

/// The width in pixels of a text in DejaVu Sans of that size. Characters beyond ASCII count as wide as most of their
/// kind are, or wider.
double text_width(std::string_view text, double size);

/// The text in lines no wider than that, broken at blanks; a word that is wider is broken inside. A line break of the
/// text stays. At least one line.
std::vector<std::string> wrapped(std::string_view text, double size, double width);

}  // namespace farfield::report
