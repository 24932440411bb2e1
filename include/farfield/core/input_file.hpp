// How every input file is opened and read: regular files only, of a limited size.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace farfield::core {

/// The largest file that is read whole, unless a reader says otherwise: 64 MiB.
inline constexpr std::uintmax_t most_input_bytes = std::uintmax_t{64} << 20;

/// An open regular file, closed at the end.
class InputFile {
public:
    /// Throws core::UserError if the path leads to a folder, a pipe or a device, and core::MissingError with the
    /// system's reason if it cannot be opened. Never waits for a pipe's other end.
    explicit InputFile(std::string path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    const std::string& path() const { return path_; }
    std::uintmax_t size() const { return size_; }  ///< when it was opened

    /// Reads the next bytes into `room`, at most as many as fit, and returns their number; 0 at the end of the file.
    /// Throws core::MissingError if reading fails.
    std::size_t read(std::span<char> room);

    /// The open file itself, which the caller then closes.
    int release();

private:
    std::string path_;
    std::uintmax_t size_ = 0;
    int descriptor_ = -1;
};

/// The whole file. Throws as InputFile does, and core::UserError if it has more bytes.
std::string read_file(const std::string& path, std::uintmax_t most_bytes = most_input_bytes);

/// Throws the core::UserError of a file that is too large, naming the limit.
[[noreturn]] void refuse_size(const std::string& path, std::uintmax_t most_bytes);

}  // namespace farfield::core
