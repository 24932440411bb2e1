// Writes a file completely or not at all.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace farfield::core {

/// Whether the file must survive a sudden stop of the machine. A file that has a digest and can be computed again need
/// not wait for the disk.
enum class Syncing { synced, unsynced };

/// Throws core::MissingError if the file exists and its permissions refuse writing. The functions below replace it all
/// the same if the folder is writable, as hosts that share a folder must.
void check_replaceable(const std::string& path, std::string_view option = "-o");

/// Writes text (or bytes) to path through a temporary name in the same folder, synced and renamed; creates folders.
/// The previous file is replaced only when the new file is complete; the new one has its permissions, and a link stays
/// a link to it. If the path is a device or a pipe, the text is written into it. Throws core::MissingError naming the
/// path and the reason. `option` is the command-line option that selects another folder.
void write_file(const std::string& path, std::string_view content, std::string_view option = "-o");
/// The same for several parts, which are written one after another.
void write_file(const std::string& path, std::span<const std::string_view> parts, std::string_view option = "-o",
                Syncing syncing = Syncing::synced);
/// The same for text in pieces: `produce` passes each piece to the function that it gets. `produce` is called again if
/// a file server does not report whether the file was renamed.
void write_pieces(const std::string& path,
                  const std::function<void(const std::function<void(std::string_view)>& write)>& produce,
                  std::string_view option = "-o", Syncing syncing = Syncing::synced);

}  // namespace farfield::core
