// Text of unknown origin made safe for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace farfield::core {

/// The number of bytes of the character at the front of a text that is not empty; 0 if it is not valid UTF-8 (RFC 3629,
/// section 4).
std::size_t character_length(std::string_view text);

/// The text with every character escaped that a terminal could interpret as a command: control characters as `\x1b` or
/// `\u{9b}`, characters that change the direction of writing as `\u{202e}`, invalid UTF-8 as `\xff`. Line breaks and
/// tabs stay.
std::string printable(std::string_view text);

/// The same on one line: line breaks and tabs are escaped too, as `\n` and `\t`.
std::string printable_line(std::string_view text);

/// Whether no character can be seen: blanks of any width, control characters, and characters that change the direction
/// of writing. Also of an empty text.
bool is_blank(std::string_view text);
/// Whether every character can be seen, as those of a name must be.
bool is_visible(std::string_view text);

/// The beginning of a text that is longer than `most` bytes, followed by "..."; multi-byte characters are not split.
std::string shortened(std::string_view text, std::size_t most = 60);

}  // namespace farfield::core
