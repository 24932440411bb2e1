#include <farfield/tensor/tensor.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/numerics/format.hpp>
#include <filesystem>

#include "tensor/bytes.hpp"
#include "tensor/formats.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {

namespace {

static_assert(std::endian::native == std::endian::little, "files hold little-endian numbers unless they say otherwise");

struct Row {
    std::string_view name;
    std::size_t size;
    std::string_view format;
};

constexpr std::array<Row, 12> rows = {{
    {"float64", 8, ""},
    {"float32", 4, "fp32"},
    {"float16", 2, "fp16"},
    {"bfloat16", 2, "bf16"},
    {"float8_e4m3", 1, "e4m3"},
    {"float8_e5m2", 1, "e5m2"},
    {"int64", 8, ""},
    {"int32", 4, ""},
    {"int16", 2, ""},
    {"int8", 1, ""},
    {"uint8", 1, ""},
    {"boolean", 1, ""},
}};

const Row& row(ElementType type) {
    return rows[static_cast<std::size_t>(type)];
}

constexpr std::size_t piece_bytes = 1 << 16;
constexpr std::size_t most_gathered = std::size_t{1} << 27;

/// The number of every bit pattern of a format of at most 16 bits.
template <ElementType type>
const std::vector<double>& patterns() {
    static const std::vector<double> numbers = [] {
        const numerics::Format& format = *numerics::find_format(format_of(type));
        std::vector<double> all(std::size_t{1} << numerics::width_in_bits(format));
        for (std::size_t bits = 0; bits < all.size(); ++bits)
            all[bits] = numerics::decode(format, static_cast<std::uint32_t>(bits));
        return all;
    }();
    return numbers;
}

template <class Number>
void convert(const std::byte* bytes, std::span<double> result) {
    for (std::size_t i = 0; i < result.size(); ++i) {
        Number number;
        std::memcpy(&number, bytes + i * sizeof(Number), sizeof(Number));
        result[i] = static_cast<double>(number);
    }
}

template <class Pattern, ElementType type>
void look_up(const std::byte* bytes, std::span<double> result) {
    const std::vector<double>& numbers = patterns<type>();
    for (std::size_t i = 0; i < result.size(); ++i) {
        Pattern pattern;
        std::memcpy(&pattern, bytes + i * sizeof(Pattern), sizeof(Pattern));
        result[i] = numbers[pattern];
    }
}

void convert(ElementType type, const std::byte* bytes, std::span<double> result) {
    switch (type) {
        case ElementType::float64: return convert<double>(bytes, result);
        case ElementType::float32: return convert<float>(bytes, result);
        case ElementType::float16: return look_up<std::uint16_t, ElementType::float16>(bytes, result);
        case ElementType::bfloat16: return look_up<std::uint16_t, ElementType::bfloat16>(bytes, result);
        case ElementType::float8_e4m3: return look_up<std::uint8_t, ElementType::float8_e4m3>(bytes, result);
        case ElementType::float8_e5m2: return look_up<std::uint8_t, ElementType::float8_e5m2>(bytes, result);
        case ElementType::int64: return convert<std::int64_t>(bytes, result);
        case ElementType::int32: return convert<std::int32_t>(bytes, result);
        case ElementType::int16: return convert<std::int16_t>(bytes, result);
        case ElementType::int8: return convert<std::int8_t>(bytes, result);
        case ElementType::uint8:
        case ElementType::boolean: return convert<std::uint8_t>(bytes, result);
    }
}

void turn_around(std::span<std::byte> bytes, std::size_t size) {
    for (std::size_t at = 0; at + size <= bytes.size(); at += size)
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
}

void read_stored(const Bytes& bytes, const Description& description, std::size_t first, std::span<double> result) {
    const std::size_t size = size_of(description.type);
    const std::size_t most = piece_bytes / size;
    alignas(8) std::array<std::byte, piece_bytes> buffer;
    while (!result.empty()) {
        const std::span<double> now = result.first(std::min(most, result.size()));
        const std::span<std::byte> raw = std::span(buffer).first(now.size() * size);
        bytes.read(first * size, raw);
        if (description.is_big_endian) turn_around(raw, size);
        convert(description.type, raw.data(), now);
        result = result.subspan(now.size());
        first += now.size();
    }
}

/// The numbers in row-major order.
std::vector<double> gather(const Bytes& bytes, const Description& description) {
    std::vector<double> stored(description.count());
    read_stored(bytes, description, 0, stored);
    std::vector<double> result(stored.size());
    std::vector<std::size_t> index(description.shape.size(), 0);
    for (double& number : result) {
        std::size_t at = 0;
        for (std::size_t axis = index.size(); axis-- > 0;) at = at * description.shape[axis] + index[axis];
        number = stored[at];
        for (std::size_t axis = index.size(); axis-- > 0;) {
            if (++index[axis] < description.shape[axis]) break;
            index[axis] = 0;
        }
    }
    return result;
}

enum class FileFormat { npy, npz, safetensors };

FileFormat format_of_file(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".npy") return FileFormat::npy;
    if (ending == ".npz") return FileFormat::npz;
    if (ending == ".safetensors") return FileFormat::safetensors;
    std::error_code failure;
    const bool is_folder = std::filesystem::is_directory(path, failure);
    if (is_folder) refuse(path, "a folder", "a .npy, .npz or .safetensors file");
    refuse(path, "a file whose name ends in '" + ending + "'", ".npy, .npz or .safetensors",
           "torch.save writes a pickle, which is code: save numbers with numpy.save or safetensors.torch.save_file");
}

Head head_of(const Bytes& bytes) {
    return [&bytes](std::uint64_t offset, std::span<std::byte> result) -> std::size_t {
        const std::uint64_t there = offset < bytes.size() ? bytes.size() - offset : 0;
        const std::size_t count = std::min<std::uint64_t>(there, result.size());
        bytes.read(offset, result.first(count));
        return count;
    };
}

std::vector<Found> read_headers(FileFormat format, const Bytes& bytes, const std::string& path) {
    if (format == FileFormat::npy) return {read_npy_header(head_of(bytes), bytes.size(), path)};
    return read_safetensors_header(head_of(bytes), bytes.size(), path);
}

void check_within(const Description& description, std::size_t first, std::size_t wanted) {
    const std::size_t count = description.count();
    if (first > count || wanted > count - first)
        throw core::PreconditionError("Tensor::read", "first", std::to_string(first), "an index within the tensor");
}

std::vector<std::string> names_of(const std::vector<Description>& descriptions) {
    std::vector<std::string> names;
    names.reserve(descriptions.size());
    for (const Description& each : descriptions) names.push_back(each.name);
    return names;
}

/// The requested name, or that of the only tensor.
std::string choose(const std::vector<Description>& there, std::string_view name, const std::string& path) {
    const std::vector<std::string> names = names_of(there);
    if (there.empty()) refuse(path, "this file contains no tensor", "one at least");
    if (name.empty() && names.size() == 1) return names.front();
    if (name.empty())
        refuse(path, fmt::format("this file holds {} tensors", names.size()), "the name of one: --tensor NAME",
               core::known_here("", names));
    if (std::find(names.begin(), names.end(), name) != names.end()) return std::string(name);
    const bool is_nameless = names.front().empty();
    refuse(path, "there is no tensor '" + std::string(name) + "'",
           is_nameless ? "no name: a .npy file holds one tensor" : "",
           is_nameless ? "" : core::known_here(name, names));
}

}  // namespace

std::string_view type_name(ElementType type) {
    return row(type).name;
}

std::size_t size_of(ElementType type) {
    return row(type).size;
}

std::string_view format_of(ElementType type) {
    return row(type).format;
}

std::optional<ElementType> find_type(std::string_view name) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& each) { return each.name == name; });
    if (found == rows.end()) return std::nullopt;
    return static_cast<ElementType>(found - rows.begin());
}

std::size_t Description::count() const {
    std::size_t product = 1;
    for (const std::size_t each : shape) product *= each;
    return product;
}

std::string shape_text(std::span<const std::size_t> shape) {
    std::string text;
    for (const std::size_t each : shape) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
}

void check_size(const Description& description, std::uint64_t there, const std::string& path) {
    std::uint64_t wanted = size_of(description.type);
    bool is_too_large = false;
    for (const std::size_t each : description.shape)
        is_too_large = __builtin_mul_overflow(wanted, each, &wanted) || is_too_large;
    if (is_too_large || wanted > (std::uint64_t{1} << 62))
        refuse(path, "the shape " + shape_text(description.shape) + " is beyond any file",
               "a file that holds its numbers");
    if (wanted == there) return;
    const std::string name = description.name.empty() ? "" : "'" + description.name + "' of ";
    refuse(path,
           fmt::format("{}the shape {} of {} takes {} bytes, and there are {}", name, shape_text(description.shape),
                       type_name(description.type), wanted, there),
           wanted > there ? "a whole file" : "a file with one tensor and nothing after it");
}

Tensor::Tensor(Description description, std::shared_ptr<const Bytes> bytes)
    : description_(std::move(description)), bytes_(std::move(bytes)) {
    const bool has_order = std::count_if(description_.shape.begin(), description_.shape.end(),
                                         [](std::size_t extent) { return extent > 1; }) > 1;
    if (!description_.is_column_major || !has_order) return;
    if (description_.count() > most_gathered)
        refuse(bytes_->path(), "a column-major tensor (fortran_order) of " + shape_text(description_.shape),
               "at most 134217728 numbers in this order", "numpy.save(file, numpy.ascontiguousarray(array))");
    gathered_ = std::make_shared<const std::vector<double>>(gather(*bytes_, description_));
}

Tensor Tensor::at(std::size_t index) const {
    const std::vector<std::size_t>& shape = description_.shape;
    if (shape.empty() || index >= shape.front())
        throw core::PreconditionError("Tensor::at", "index", std::to_string(index), "an index of the first axis");
    Tensor part = *this;
    part.description_.shape.erase(part.description_.shape.begin());
    part.offset_ += index * part.description_.count();
    return part;
}

bool Tensor::holds_floats() const {
    return description_.type == ElementType::float32 && !description_.is_big_endian && !gathered_;
}

void Tensor::read(std::size_t first, std::span<float> result) const {
    if (!holds_floats())
        throw core::PreconditionError("Tensor::read", "result", "floats", "doubles, for a tensor of other numbers");
    check_within(description_, first, result.size());
    bytes_->read((offset_ + first) * sizeof(float), std::as_writable_bytes(result));
}

void Tensor::read(std::size_t first, std::span<double> result) const {
    check_within(description_, first, result.size());
    if (!gathered_) return read_stored(*bytes_, description_, offset_ + first, result);
    std::copy_n(gathered_->begin() + static_cast<std::ptrdiff_t>(offset_ + first), result.size(), result.begin());
}

std::vector<Description> list_tensors(const std::string& path) {
    const FileFormat format = format_of_file(path);
    const auto bytes = Bytes::open(path);
    if (format == FileFormat::npz) return list_npz(path);
    std::vector<Description> descriptions;
    for (const Found& found : read_headers(format, *bytes, path)) descriptions.push_back(found.description);
    return descriptions;
}

std::vector<Tensor> open_tensors(const std::string& path) {
    const FileFormat format = format_of_file(path);
    const auto bytes = Bytes::open(path);
    std::vector<Tensor> tensors;
    if (format == FileFormat::npz) {
        for (const Description& each : list_npz(path)) tensors.push_back(open_tensor(path, each.name));
        return tensors;
    }
    for (const Found& found : read_headers(format, *bytes, path)) {
        const std::uint64_t size = found.description.count() * size_of(found.description.type);
        tensors.emplace_back(found.description, Bytes::part(bytes, found.offset, size));
    }
    return tensors;
}

Tensor open_tensor(const std::string& path, std::string_view name) {
    const FileFormat format = format_of_file(path);
    const auto bytes = Bytes::open(path);
    if (format == FileFormat::npz) {
        const std::string chosen = choose(list_tensors(path), name, path);
        const auto member = open_npz_member(path, chosen);
        Found found = read_npy_header(head_of(*member), member->size(), path + ":" + chosen + ".npy");
        found.description.name = chosen;
        return {found.description, Bytes::part(member, found.offset, member->size() - found.offset)};
    }
    const std::vector<Found> headers = read_headers(format, *bytes, path);
    std::vector<Description> there;
    there.reserve(headers.size());
    for (const Found& found : headers) there.push_back(found.description);
    const std::string chosen = choose(there, name, path);
    const auto found = std::find_if(headers.begin(), headers.end(),
                                    [&](const Found& each) { return each.description.name == chosen; });
    const std::uint64_t size = found->description.count() * size_of(found->description.type);
    return {found->description, Bytes::part(bytes, found->offset, size)};
}

Tensor tensor_in_memory(Description description, std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                        const std::string& name) {
    check_size(description, bytes.size(), name);
    return {std::move(description), Bytes::in_memory(bytes, std::move(owner), name)};
}

}  // namespace farfield::tensor
