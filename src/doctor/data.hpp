// The TOML files of this module, embedded into the library when it is built.
#pragma once

#include <span>
#include <string_view>

#include <farfield/core/document.hpp>

#include "core/data_file.hpp"

namespace farfield::doctor {

/// Each defined in a source that core/embed.py writes.
std::span<const core::DataFile> engine_files();
std::span<const core::DataFile> data_files();

/// The content of NAME.toml.
core::Entries read_data(std::span<const core::DataFile> files, std::string_view name);

}  // namespace farfield::doctor
