// Converts TOML text to values with places. All study files are read by this code.
#pragma once

#include <string>

#include <farfield/core/document.hpp>

namespace farfield::scheme {

/// Which part of a line a place stores for messages: the line if it has at most 4096 bytes, or nothing. For data files
/// it is nothing, because their content may be private.
enum class Excerpts { of_lines, none };

/// Reads TOML 1.0 text. `file` is the name shown in messages. Throws core::UserError with the place of the first syntax
/// error (duplicate keys are one). Numbers keep their text; places of strings are those of their first character.
core::Entries read_toml(const std::string& text, const std::string& file, Excerpts excerpts = Excerpts::of_lines);

/// The same for a file, which core::read_file reads. If the file does not exist, throws a UserError naming it.
core::Entries read_toml_file(const std::string& path, Excerpts excerpts = Excerpts::of_lines);

}  // namespace farfield::scheme
