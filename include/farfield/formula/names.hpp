// Which words a formula may use as names of its own.
#pragma once

#include <string_view>

namespace farfield::formula {

/// What the language itself means by the word: "a constant", "a function", "a function of claims", "a word of the
/// language"; empty for a word that is free.
std::string_view reserved(std::string_view word);

/// Whether the text is a name that a formula can write without quotes: letters, digits and underscores, no digit first.
bool is_name(std::string_view text);

}  // namespace farfield::formula
