// TOML text to values with places. The only door through which files of the user come in.
#pragma once

#include <string>

#include <farfield/core/document.hpp>

namespace farfield::scheme {

/// Reads TOML 1.0 text. `file` is the name shown in messages. Throws core::UserError with the place of the first syntax
/// error (duplicate keys are one). Numbers keep their text; places of strings are those of their first character.
core::Entries read_toml(const std::string& text, const std::string& file);

/// The same from a file; a file that cannot be read, is over 64 MiB, or is a folder is a UserError naming it.
core::Entries read_toml_file(const std::string& path);

}  // namespace farfield::scheme
