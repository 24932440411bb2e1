// The headers of the formats: what is a file's own word, checked before a number is read.
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

/// A tensor and where its numbers stand in the bytes it was found in.
struct Found {
    Description description;
    std::uint64_t offset;
};

/// Bytes from the beginning on, as far as a header may reach: fills the span, returns how many there were.
using Head = std::function<std::size_t(std::uint64_t offset, std::span<std::byte>)>;

/// The header of a .npy of `size` bytes. `path` is what a refusal names.
Found read_npy_header(const Head& head, std::uint64_t size, const std::string& path);

/// The header of a safetensors file of `size` bytes, in the order of the numbers.
std::vector<Found> read_safetensors_header(const Head& head, std::uint64_t size, const std::string& path);

/// The tensors of a .npz; every member is a .npy.
std::vector<Description> list_npz(const std::string& path);

/// Of a temporary file: deflate makes 1 MB of 1 kB.
inline constexpr std::uint64_t most_inflated_bytes = std::uint64_t{1} << 36;

/// The bytes of the member's .npy, inflated if need be; a member that takes more than `most_inflated` bytes is refused
/// before it is.
std::shared_ptr<const Bytes> open_npz_member(const std::string& path, const std::string& name,
                                             std::uint64_t most_inflated = most_inflated_bytes);

/// Refuses a shape whose numbers are more than the bytes that are there, or fewer.
void check_size(const Description& description, std::uint64_t there, const std::string& path);

}  // namespace farfield::tensor
