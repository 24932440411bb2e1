// The built-in schemes' files as they were when the library was built.
#pragma once

#include <span>

#include "core/data_file.hpp"

namespace farfield::scheme {

/// Defined in a source that core/embed.py writes from the TOML files.
std::span<const core::DataFile> catalogue_files();

/// The same of recipes.toml.
std::span<const core::DataFile> recipe_files();

}  // namespace farfield::scheme
