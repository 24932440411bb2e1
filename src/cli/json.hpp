// JSON on standard output.
#pragma once

#include <string>

#include "report/json_text.hpp"

namespace farfield::cli {

using report::Json;

/// The value on many lines, or on one. Characters outside ASCII are escaped, so that no terminal interprets one and the
/// text stays JSON; bytes that are not UTF-8 become U+FFFD. Ends with a line break.
std::string json_lines(const Json& value);
std::string json_line(const Json& value);

}  // namespace farfield::cli
