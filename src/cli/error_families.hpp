// The meaning of messages, and what to do about them.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace farfield::cli {

/// Messages with one cause.
struct ErrorFamily {
    std::string_view id;  ///< "unknown-name"
    /// Patterns of the first line of its messages, without the place before it; "*" matches any text.
    std::vector<std::string_view> patterns;
    std::string_view meaning;
    std::string_view remedy;
};

std::span<const ErrorFamily> error_families();

/// The family with that id, or of that message, which may begin with a place ("study.toml:3:1: "); null if none.
const ErrorFamily* find_error(std::string_view name_or_message);

}  // namespace farfield::cli
