// Text as a JSON string.
#pragma once

#include <string>
#include <string_view>

namespace farfield::cli {

/// In quotes, with what JSON wants escaped.
std::string json_text(std::string_view text);

}  // namespace farfield::cli
