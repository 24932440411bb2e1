// Names of temporary files, and the removal of files that killed processes left behind.
#pragma once

#include <filesystem>
#include <string>

namespace farfield::core {

/// "farfield-HOST-PROCESS-XXXXXX", for mkstemp and mkdtemp to complete.
std::string temporary_name();

/// Removes the files with such names, with or without a leading point, that ended processes of this user and host left
/// in the folder. Searches each folder once.
void remove_stale(const std::filesystem::path& folder);

}  // namespace farfield::core
