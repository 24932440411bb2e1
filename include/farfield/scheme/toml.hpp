// TOML text to values with places. The only door through which files of the user come in.
#pragma once

#include <string>

#include <farfield/core/document.hpp>

namespace farfield::scheme {

/// What places keep of a line, to be shown in messages: the line where it has at most 4096 bytes, or nothing, as for a
/// file of data, which may be anybody's.
enum class Excerpts { of_lines, none };

/// Reads TOML 1.0 text. `file` is the name shown in messages. Throws core::UserError with the place of the first syntax
/// error (duplicate keys are one). Numbers keep their text; places of strings are those of their first character.
core::Entries read_toml(const std::string& text, const std::string& file, Excerpts excerpts = Excerpts::of_lines);

/// The same from a file, which core::read_file reads; one that is not there is a UserError naming it.
core::Entries read_toml_file(const std::string& path, Excerpts excerpts = Excerpts::of_lines);

}  // namespace farfield::scheme
