// A range of bytes of an open file or of memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace farfield::tensor {

/// Bytes are read by position, so that threads may share the object.
class Bytes {
public:
    /// Throws core::MissingError if the path cannot be opened, core::UserError if it is not an ordinary file.
    static std::shared_ptr<const Bytes> open(const std::string& path);
    /// A temporary file without a name, which is deleted when it is closed. `path` is the name in messages.
    static std::shared_ptr<Bytes> temporary(const std::string& path);

    /// Memory of the calling program, which `owner` keeps alive; `name` is its name in messages.
    static std::shared_ptr<const Bytes> in_memory(std::span<const std::byte> memory, std::shared_ptr<const void> owner,
                                                  std::string name);

    ~Bytes();
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    std::uint64_t size() const { return size_; }
    const std::string& path() const { return path_; }

    /// Throws core::MissingError if the disk fails or the file ends too early.
    void read(std::uint64_t offset, std::span<std::byte> result) const;
    void append(std::span<const std::byte> bytes);

    /// The same file from `offset` on, `size` bytes.
    static std::shared_ptr<const Bytes> part(std::shared_ptr<const Bytes> whole, std::uint64_t offset,
                                             std::uint64_t size);

private:
    Bytes(int file, std::string path, std::uint64_t size) : file_(file), path_(std::move(path)), size_(size) {}

    int file_;
    std::string path_;
    std::uint64_t offset_ = 0;
    std::uint64_t size_ = 0;
    std::shared_ptr<const Bytes> whole_;  ///< keeps the file open for a part of it
    std::span<const std::byte> memory_;   ///< used if there is no file
    std::shared_ptr<const void> owner_;   ///< keeps the memory alive
};

}  // namespace farfield::tensor
