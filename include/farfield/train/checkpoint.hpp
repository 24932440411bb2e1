// Tensors in a file that other programs read: safetensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace farfield::train {

/// Row-major numbers: F32, F64 or I64 of the format.
struct Tensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>> data;
};

/// Named tensors and texts.
struct Checkpoint {
    std::vector<Tensor> tensors;
    std::map<std::string, std::string> metadata;

    const Tensor* find(std::string_view name) const;
};

/// As safetensors: the length of the header (8 bytes, little-endian), the header in JSON, the numbers. The metadata's
/// own key "sha256" holds the digest of all names, shapes, texts and numbers.
/// Throws core::PreconditionError for a tensor whose shape is not that of its numbers or whose name stands there twice.
/// Source: the description of the format in github.com/huggingface/safetensors, README, "Format".
std::string to_safetensors(const Checkpoint& checkpoint);

/// Back from the bytes. What is cut short, no safetensors, or not what its digest says throws core::MissingError naming
/// `path`. Files without a digest (of other programs) are read as they are.
Checkpoint from_safetensors(std::string_view bytes, const std::string& path);

/// Writes the file whole or not at all (core/write_file.hpp); reads it.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
Checkpoint load_checkpoint(const std::string& path);

/// The float tensor of that name and shape. Throws core::MissingError naming `path` and what is there instead.
const std::vector<float>& floats(const Checkpoint& checkpoint, std::string_view name,
                                 const std::vector<std::size_t>& shape, const std::string& path);

}  // namespace farfield::train
