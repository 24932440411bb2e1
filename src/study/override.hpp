// --set: replaces values of the file from the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

namespace farfield::study {

/// The parts of a dotted path; points inside quotes do not separate parts.
std::vector<std::string> parts_of(const std::string& path);

/// Replaces or adds the value at each dotted path ("scheme.x.params.w"; a part with points in quotes). The value is
/// TOML, or a string if it is not. The item (scheme.x) must exist; a built-in scheme is copied into the file first.
void apply_settings(core::Entries& document, const std::vector<std::pair<std::string, std::string>>& set,
                    core::Problems& problems);

}  // namespace farfield::study
