// The source of a checkpoint, with the keys and tensor names of GGUF: a GGUF file, or a folder that is read as the
// converter to GGUF would write it.
#pragma once

#include <cstddef>
#include <farfield/scheme/scheme.hpp>
#include <farfield/tensor/gguf.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/architecture.hpp"

namespace farfield::checkpoint {

class Source {
public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    virtual ~Source() = default;

    virtual const std::string& path() const = 0;
    /// The name of a key or a tensor in messages.
    virtual std::string shown(std::string_view key) const { return std::string(key); }
    /// The value of a key, or null.
    virtual const tensor::GgufValue* value(std::string_view key) const = 0;
    /// Calls `take` with each value of a list; does nothing if there is no such list.
    virtual void read_list(std::string_view key, const std::function<void(const tensor::GgufValue&)>& take) const = 0;
    virtual std::span<const tensor::GgufTensor> tensors() const = 0;
    /// The tensor of that name, or null.
    virtual const tensor::GgufTensor* find(std::string_view name) const = 0;
    /// Reads rows of a tensor from `row` on, like tensor::GgufFile::read_rows(). Several threads may read at once.
    virtual void read_rows(const tensor::GgufTensor& tensor, std::size_t row, std::span<float> result) const = 0;
    /// Whether the matrices or norms of that name have biases; nothing if the source does not say so.
    virtual std::optional<bool> has_biases(std::string_view) const { return {}; }
    /// The columns of a head's queries and keys that rotate together.
    virtual scheme::Pairs pairs(const Architecture& architecture) const = 0;
    /// A text that distinguishes sources by their content; see digest_of_weights().
    virtual std::string identity() const = 0;
};

/// A folder with config.json and safetensors, or a GGUF file. Throws core::UserError that names the file and the key or
/// tensor, and core::MissingError if a file cannot be read.
std::shared_ptr<const Source> open_source(const std::string& path);

/// A folder; see open_source().
std::shared_ptr<const Source> open_folder(const std::string& path);

/// Files of weights up to this size are hashed whole.
inline constexpr std::uint64_t most_hashed_bytes = std::uint64_t{2} << 30;

/// A text that distinguishes files of weights: the digest of all bytes; of a larger file, its size, the time at which
/// it was written, and the digest of its beginning and of pieces spread over the rest.
std::string digest_of_weights(const std::string& path);

}  // namespace farfield::checkpoint
