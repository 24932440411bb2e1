// Places in a TOML text: its lines, and the nesting depth of its keys and brackets.
#pragma once

#include <cstddef>
#include <farfield/core/place.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::scheme {

/// A text split into lines. Lines and columns are counted from 1. A column is in bytes in a core::Place, and in code
/// points in the parser's messages.
class TomlText {
public:
    TomlText(std::string_view text, std::string file, bool keeps_lines = true);

    /// The byte at which the code point `column` of `line` starts; the text's size if there is none.
    std::size_t offset(std::size_t line, std::size_t column) const;
    /// The place of `length` bytes from `offset`, cut at the end of the line, at least one long.
    core::Place place(std::size_t offset, std::size_t length) const;
    std::string_view slice(std::size_t begin, std::size_t end) const;

private:
    std::string_view line_text(std::size_t index) const;

    std::string_view text_;
    std::string file_;
    bool keeps_lines_;
    std::vector<std::size_t> starts_;

    /// The place of the last lookup: the next one is usually near it, so that long lines are not searched from the
    /// start.
    struct Found {
        std::size_t line = 0;
        std::size_t column = 1;
        std::size_t at = 0;
    };
    mutable Found last_;
};

/// The byte at which the first unterminated string starts. A string must end on its line; one with three quotes,
/// anywhere.
std::optional<std::size_t> open_string(std::string_view text);

/// The byte at which a key has more than `most_dots` dots, or brackets are nested deeper than `most_brackets`. A
/// recursive parser must not be given such a text. Dots and brackets in strings and comments do not count.
std::optional<std::size_t> too_deep(std::string_view text, std::size_t most_dots, std::size_t most_brackets);

}  // namespace farfield::scheme
