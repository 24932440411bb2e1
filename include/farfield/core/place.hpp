// A position in a user's text.
#pragma once

#include <cstddef>
#include <string>

namespace farfield::core {

/// A stretch of one line of a text. `line` and `column` count from 1; 0 means that the place is not known.
/// `excerpt` is the whole line as the user wrote it, kept so that a message can show it with a caret.
struct Place {
    std::string file;
    std::size_t line = 0;
    std::size_t column = 0;
    std::size_t length = 1;
    std::string excerpt;

    bool known() const { return line != 0; }
};

}  // namespace farfield::core
