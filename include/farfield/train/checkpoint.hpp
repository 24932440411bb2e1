// Tensors in a file that other programs read: safetensors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace farfield::train {

/// The numbers of a tensor: owned by the tensor, or in an array that outlives it, so that saving a model copies
/// nothing.
template <class Number>
class Numbers {
public:
    Numbers(std::vector<Number> own)  // NOLINT(google-explicit-constructor): a vector is its numbers
        : own_(std::make_shared<const std::vector<Number>>(std::move(own))), all_(*own_) {}
    static Numbers of(std::span<const Number> others) {
        Numbers numbers({});
        numbers.all_ = others;
        return numbers;
    }

    std::span<const Number> all() const { return all_; }
    friend bool operator==(const Numbers& a, const Numbers& b) {
        return std::equal(a.all_.begin(), a.all_.end(), b.all_.begin(), b.all_.end());
    }

private:
    std::shared_ptr<const std::vector<Number>> own_;
    std::span<const Number> all_;
};

/// Row-major numbers: F32, F64 or I64 of the format.
struct Tensor {
    std::string name;
    std::vector<std::size_t> shape;
    std::variant<Numbers<float>, Numbers<double>, Numbers<std::int64_t>> data;
};

/// Named tensors and texts.
struct Checkpoint {
    std::vector<Tensor> tensors;
    std::map<std::string, std::string> metadata;

    const Tensor* find(std::string_view name) const;
};

/// As safetensors: the length of the header (8 bytes, little-endian), the header in JSON, the numbers. The metadata's
/// own key "sha256" holds the digest of all names, shapes, texts and numbers.
/// Throws core::PreconditionError for a tensor whose shape does not fit its numbers, and for a repeated name. Source:
/// the description of the format in github.com/huggingface/safetensors, README, "Format".
std::string to_safetensors(const Checkpoint& checkpoint);

/// Reads the tensors from bytes. Throws core::MissingError naming `path` if the bytes are truncated, are not
/// safetensors, or do not match their digest. Files without a digest (of other programs) are read without this check.
Checkpoint from_safetensors(std::string_view bytes, const std::string& path);

/// Writes the file completely or not at all (core/write_file.hpp), without copying the numbers; reads it.
void save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
Checkpoint load_checkpoint(const std::string& path);

/// The float tensor with this name and shape. Throws core::MissingError naming `path` and what the file contains
/// instead.
std::span<const float> floats(const Checkpoint& checkpoint, std::string_view name,
                              const std::vector<std::size_t>& shape, const std::string& path);

}  // namespace farfield::train
