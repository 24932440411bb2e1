// The files of the built-in schemes, embedded into the library when it is built.
#pragma once

#include <span>

#include "core/data_file.hpp"

namespace farfield::scheme {

/// Defined in a source that core/embed.py writes from the TOML files.
std::span<const core::DataFile> catalogue_files();

/// The same for recipes.toml.
std::span<const core::DataFile> recipe_files();

}  // namespace farfield::scheme
