// The headers of the formats. What a file states is checked before a number is read.
#pragma once

#include <cstdint>
#include <farfield/tensor/tensor.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/bytes.hpp"

namespace farfield::tensor {

/// A tensor, and the place of its numbers in the bytes of its file.
struct Found {
    Description description;
    std::uint64_t offset;
};

/// Reads bytes from `offset` on, within the largest possible header: fills the span, and returns how many bytes there
/// were.
using Head = std::function<std::size_t(std::uint64_t offset, std::span<std::byte>)>;

/// The header of a .npy of `size` bytes. `path` is the name in error messages.
Found read_npy_header(const Head& head, std::uint64_t size, const std::string& path);

/// The header of a safetensors file of `size` bytes, in the order of the numbers.
std::vector<Found> read_safetensors_header(const Head& head, std::uint64_t size, const std::string& path);

/// The tensors of a .npz; every member is a .npy.
std::vector<Description> list_npz(const std::string& path);

/// The limit of a temporary file, because deflate can expand 1 kB to 1 MB.
inline constexpr std::uint64_t most_inflated_bytes = std::uint64_t{1} << 36;

/// The bytes of the member's .npy, inflated if necessary. A member of more than `most_inflated` bytes is refused before
/// it is inflated.
std::shared_ptr<const Bytes> open_npz_member(const std::string& path, const std::string& name,
                                             std::uint64_t most_inflated = most_inflated_bytes);

/// Refuses a shape whose size in bytes differs from the number of bytes that exist.
void check_size(const Description& description, std::uint64_t there, const std::string& path);

}  // namespace farfield::tensor
