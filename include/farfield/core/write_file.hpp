// A file written whole or not at all.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace farfield::core {

/// Whether a file outlives a machine that stops suddenly: what carries a digest and can be computed again need not wait
/// for the disk.
enum class Syncing { synced, unsynced };

/// Writes text (or bytes) to path through a temporary name in the same folder, synced and renamed; creates folders.
/// What stood there before is lost only once the new file is whole. A device or a pipe is written into.
/// Throws core::MissingError naming the path and the reason; `option` is the one that names another folder.
void write_file(const std::string& path, std::string_view content, std::string_view option = "-o");
/// The same of parts, one behind another.
void write_file(const std::string& path, std::span<const std::string_view> parts, std::string_view option = "-o",
                Syncing syncing = Syncing::synced);
/// The same of what `produce` hands to the function that it is given, piece by piece. It is called again if a file
/// server does not say whether the file has its name.
void write_pieces(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>& write)>& produce,
                  std::string_view option = "-o", Syncing syncing = Syncing::synced);

}  // namespace farfield::core
