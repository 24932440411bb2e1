// Tensors in files of other programs: .npy, .npz and .safetensors, read in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::tensor {

enum class ElementType : std::uint8_t {
    float64,
    float32,
    float16,
    bfloat16,
    float8_e4m3,
    float8_e5m2,
    int64,
    int32,
    int16,
    int8,
    uint8,
    boolean,
};

/// The name of a type ("float32"); the bytes of one number; the name of its format in numerics/format.hpp ("fp32",
/// "bf16"), or "" for float64 and for integers.
std::string_view type_name(ElementType type);
std::size_t size_of(ElementType type);
std::string_view format_of(ElementType type);
/// The type of that name.
std::optional<ElementType> find_type(std::string_view name);

/// The description of a tensor in a file. Complex numbers are stored as two numbers along an additional last axis: real
/// part, imaginary part.
struct Description {
    std::string name;  ///< of the archive's member, without .npy; "" in a .npy file
    ElementType type = ElementType::float64;
    std::vector<std::size_t> shape;
    bool is_column_major = false;  ///< numpy's fortran_order: the first axis runs fastest
    bool is_big_endian = false;
    bool is_complex = false;  ///< the last axis is real part, imaginary part

    std::size_t count() const;  ///< product of the shape
};

/// "[12, 8192, 8192]".
std::string shape_text(std::span<const std::size_t> shape);

class Bytes;

/// One tensor of a file that stays open. Copies share the file.
class Tensor {
public:
    Tensor(Description description, std::shared_ptr<const Bytes> bytes);

    const Description& description() const { return description_; }

    /// The part at an index of the first axis. It shares the file and is not copied. Throws core::PreconditionError for
    /// a tensor without axes and an index beyond.
    Tensor at(std::size_t index) const;

    /// The numbers from index `first` on, in row-major order, as doubles (exactly, except for integers above 2^53). Any
    /// number of threads may read at once. Throws core::PreconditionError beyond the end, core::MissingError if the
    /// disk fails or the file has been truncated. Memory: 64 KiB in addition to `result`.
    void read(std::size_t first, std::span<double> result) const;

    /// Whether the file's bytes are floats in the machine's byte order and in row-major order, so that read() into
    /// floats copies them.
    bool holds_floats() const;
    void read(std::size_t first, std::span<float> result) const;

private:
    Description description_;
    std::shared_ptr<const Bytes> bytes_;
    std::shared_ptr<const std::vector<double>> gathered_;  ///< a column-major tensor's numbers in row-major order
    std::size_t offset_ = 0;                               ///< of the file's numbers, or the gathered ones, before this
};

/// The tensors of the file in its order, without reading their numbers. The extension of the name determines the
/// format. Throws core::UserError naming the file if it has another format, is truncated, contradicts itself, or
/// contains pickled objects (which are code and are never run). Throws core::MissingError if the file does not exist or
/// cannot be read. Sources: numpy.lib.format (versions 1 to 3); the README of github.com/huggingface/safetensors,
/// "Format".
std::vector<Description> list_tensors(const std::string& path);

/// Opens one tensor of the file; the name "" means the only tensor. A member of a .npz that was deflated is first
/// inflated into a temporary file without a name. Errors: as above, and core::UserError for an unknown name (the
/// message lists the known names) and for a column-major tensor of over 2^27 numbers.
Tensor open_tensor(const std::string& path, std::string_view name = {});

/// Opens all tensors of the file; they share the open file. Errors: as open_tensor().
std::vector<Tensor> open_tensors(const std::string& path);

/// A tensor in another program's memory. `bytes` must have the size that the description gives. The bytes are not
/// copied, and `owner` keeps them alive. Throws core::UserError if the sizes differ; `name` is the tensor's name in
/// messages.
Tensor tensor_in_memory(Description description, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& name);

}  // namespace farfield::tensor
