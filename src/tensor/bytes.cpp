#include "tensor/bytes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <filesystem>

namespace farfield::tensor {

namespace {

[[noreturn]] void fail(const std::string& call, const std::string& path, const std::string& reason) {
    throw core::MissingError(call + " '" + path + "'", reason, "look whether the file is there and may be read");
}

}  // namespace

std::shared_ptr<const Bytes> Bytes::open(const std::string& path) {
    core::InputFile file(path);
    const std::uint64_t size = file.size();
    return std::shared_ptr<const Bytes>(new Bytes(file.release(), path, size));
}

std::shared_ptr<Bytes> Bytes::temporary(const std::string& path) {
    std::error_code failure;
    std::string name = (std::filesystem::temp_directory_path(failure) / "farfield-XXXXXX").string();
    if (failure)
        throw core::MissingError("looking for a temporary folder", failure.message(),
                                 "set TMPDIR to a folder that you may write to");
    const int file = mkstemp(name.data());
    if (file < 0)
        throw core::MissingError("making a temporary file '" + name + "'", std::strerror(errno),
                                 "set TMPDIR to a folder with room that you may write to");
    unlink(name.c_str());
    return std::shared_ptr<Bytes>(new Bytes(file, path, 0));
}

std::shared_ptr<const Bytes> Bytes::in_memory(std::span<const std::byte> memory, std::shared_ptr<const void> owner,
                                              std::string name) {
    auto bytes = std::shared_ptr<Bytes>(new Bytes(-1, std::move(name), memory.size()));
    bytes->memory_ = memory;
    bytes->owner_ = std::move(owner);
    return bytes;
}

Bytes::~Bytes() {
    if (file_ >= 0 && !whole_) ::close(file_);
}

void Bytes::read(std::uint64_t offset, std::span<std::byte> result) const {
    if (file_ < 0) {
        const auto from = memory_.subspan(offset_ + offset, result.size());
        std::copy(from.begin(), from.end(), result.begin());
        return;
    }
    while (!result.empty()) {
        const ssize_t got = pread(file_, result.data(), result.size(), static_cast<off_t>(offset_ + offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("reading", path_, std::strerror(errno));
        if (got == 0) fail("reading", path_, "the file ended while it was read");
        result = result.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
}

void Bytes::append(std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(file_, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) fail("inflating into a temporary file", path_, std::strerror(errno));
        bytes = bytes.subspan(static_cast<std::size_t>(put));
        size_ += static_cast<std::uint64_t>(put);
    }
}

std::shared_ptr<const Bytes> Bytes::part(std::shared_ptr<const Bytes> whole, std::uint64_t offset, std::uint64_t size) {
    auto part = std::shared_ptr<Bytes>(new Bytes(whole->file_, whole->path_, size));
    part->offset_ = whole->offset_ + offset;
    part->memory_ = whole->memory_;
    part->whole_ = std::move(whole);
    return part;
}

}  // namespace farfield::tensor
