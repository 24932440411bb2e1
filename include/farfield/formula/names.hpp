// Which words a formula may use as names.
#pragma once

#include <string_view>

namespace farfield::formula {

/// The meaning of a reserved word in the language: "a constant", "a function", "a function of claims", "a word of the
/// language"; empty if the word is not reserved.
std::string_view reserved(std::string_view word);

/// Whether the text is a name that a formula can write without quotes: letters, digits and underscores, no digit first.
bool is_name(std::string_view text);

}  // namespace farfield::formula
