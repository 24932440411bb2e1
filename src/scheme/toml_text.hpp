// Where things stand in a TOML text: lines, and how deep its keys and brackets go.
#pragma once

#include <cstddef>
#include <farfield/core/place.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::scheme {

/// A text cut into lines. Lines and columns count from 1; a column counts bytes in places and code points in what the
/// parser says of them.
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

    /// The place looked up last: the next is near it, however long the line.
    struct Found {
        std::size_t line = 0;
        std::size_t column = 1;
        std::size_t at = 0;
    };
    mutable Found last_;
};

/// The byte at which the first string starts that its quotes do not end: on its line, or with three of them at all.
std::optional<std::size_t> open_string(std::string_view text);

/// The byte at which a key has more than `most_dots` dots, or brackets are nested deeper than `most_brackets`: what a
/// parser that recurses should not be given. Dots and brackets in strings and comments do not count.
std::optional<std::size_t> too_deep(std::string_view text, std::size_t most_dots, std::size_t most_brackets);

}  // namespace farfield::scheme
