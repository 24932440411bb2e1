// Names of temporary files, and the removal of those that killed processes left.
#pragma once

#include <filesystem>
#include <string>

namespace farfield::core {

/// "farfield-HOST-PROCESS-XXXXXX", for mkstemp and mkdtemp to complete.
std::string temporary_name();

/// Removes what processes of this user and host that have ended left in the folder under such names, a point before
/// them or not. Looks into each folder once.
void remove_stale(const std::filesystem::path& folder);

}  // namespace farfield::core
