// Paths that are given by users.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>

namespace farfield::core {

/// The absolute path without links, "." and "..", also of a file that does not exist.
std::filesystem::path full_path(const std::string& path);

/// Reports paths that are listed twice, also by different texts.
void report_repeated_paths(const std::vector<std::string>& paths, Problems& problems);

}  // namespace farfield::core
