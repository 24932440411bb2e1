// GGUF files: keys, and tensors that may be quantized. Sources: docs/gguf.md and src/ggml-quants.c of
// github.com/ggml-org/ggml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::tensor {

/// A value of the header. Lists, and strings over 64 KiB, are skipped.
struct GgufValue {
    enum class Kind : std::uint8_t { boolean, number, text };

    Kind kind = Kind::boolean;
    bool is_integer = false;
    double number = 0;  ///< of a number, and of a boolean
    std::string text;
};

/// The description of a tensor in the header, unchecked.
struct GgufTensor {
    std::string name;
    std::uint32_t type = 0;
    std::vector<std::uint64_t> shape;  ///< the last axis runs fastest, as in a .npy file (GGUF lists it first)
    std::uint64_t offset = 0;          ///< from the beginning of the tensors' data
};

struct GgufHeader {
    std::vector<std::pair<std::string, GgufValue>> values;
    std::vector<GgufTensor> tensors;
    std::uint64_t size = 0;  ///< bytes of the header, without padding

    const GgufValue* find(std::string_view key) const;
};

/// Whether the file begins as GGUF.
bool is_gguf(const std::string& path);

/// Reads versions 2 and 3, but no numbers of tensors. Throws core::UserError for a file that is not GGUF, is truncated,
/// or whose counts and lengths exceed the file; core::MissingError if it cannot be read.
GgufHeader read_gguf_header(const std::string& path);

/// Calls `take` with each number or text of the header's list of that name; not at all if there is no such list, or if
/// it contains lists. Errors: as read_gguf_header, and for a text over 64 KiB.
void read_gguf_array(const std::string& path, std::string_view key, const std::function<void(const GgufValue&)>& take);

/// How numbers of a type are stored: `block_numbers` of them in `block_bytes` bytes.
struct GgufType {
    std::uint32_t id = 0;
    std::string_view name;
    std::size_t block_numbers = 1;
    std::size_t block_bytes = 0;
    void (*block)(const std::byte* from, float* to) = nullptr;  ///< null: cannot be read
};

/// The types of ggml, including those that farfield cannot read.
std::span<const GgufType> gguf_types();

class Bytes;

/// An open file whose tensors are read piece by piece, as floats. Any number of threads may read at once.
class GgufFile {
public:
    /// Reads the header and checks each tensor: a known type, a unique name, and data within the file. Errors: as
    /// read_gguf_header.
    explicit GgufFile(const std::string& path);

    const std::string& path() const;
    const GgufHeader& header() const { return header_; }
    /// The tensor with this name, or null.
    const GgufTensor* find(std::string_view name) const;

    /// Reads rows from `row` on, as many as fit into `result`. A row contains the numbers along the last axis. Throws
    /// core::PreconditionError beyond the end, core::MissingError if the disk fails or the file has been truncated.
    void read_rows(const GgufTensor& tensor, std::size_t row, std::span<float> result) const;

private:
    GgufHeader header_;
    std::map<std::string, std::size_t, std::less<>> index_;  ///< of a tensor's name
    std::shared_ptr<const Bytes> bytes_;
    std::uint64_t data_ = 0;  ///< where the tensors' data begins
};

}  // namespace farfield::tensor
