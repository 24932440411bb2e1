#include <farfield/train/checkpoint.hpp>

#include <fmt/format.h>

#include <bit>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/core/write_file.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_keys.hpp"

namespace farfield::train {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

using Ordered = nlohmann::ordered_json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t most_header_bytes = 100'000'000;  // the limit of the reference implementation
constexpr std::string_view digest_key = "sha256";

[[noreturn]] void damaged(const std::string& path, const std::string& reason) {
    throw core::MissingError("reading the checkpoint '" + path + "'", reason,
                             "remove the file, or train anew with --fresh");
}

template <class Number>
constexpr const char* type_of();
template <>
constexpr const char* type_of<float>() {
    return "F32";
}
template <>
constexpr const char* type_of<double>() {
    return "F64";
}
template <>
constexpr const char* type_of<std::int64_t>() {
    return "I64";
}

const char* type_name(const Tensor& tensor) {
    return std::visit([]<class Number>(const Numbers<Number>&) { return type_of<Number>(); }, tensor.data);
}

std::string_view bytes_of(const Tensor& tensor) {
    return std::visit(
        []<class Number>(const Numbers<Number>& numbers) {
            const std::span<const Number> all = numbers.all();
            return std::string_view(reinterpret_cast<const char*>(all.data()), all.size_bytes());
        },
        tensor.data);
}

std::size_t count_of(const Tensor& tensor) {
    return std::visit([](const auto& numbers) { return numbers.all().size(); }, tensor.data);
}

std::size_t product(const std::vector<std::size_t>& shape) {
    std::size_t result = 1;
    for (const std::size_t each : shape) result *= each;
    return result;
}

std::string digest_of(const Checkpoint& checkpoint) {
    std::string text;
    for (const auto& [key, value] : checkpoint.metadata)
        if (key != digest_key) text += fmt::format("{}:{}{}:{}", key.size(), key, value.size(), value);
    for (const Tensor& tensor : checkpoint.tensors) {
        text += fmt::format("{}:{}{}", tensor.name.size(), tensor.name, type_name(tensor));
        for (const std::size_t each : tensor.shape) text += " " + std::to_string(each);
        text += core::sha256(bytes_of(tensor));
    }
    return core::sha256(text);
}

void check(const Checkpoint& checkpoint) {
    std::set<std::string_view> names;
    for (const Tensor& tensor : checkpoint.tensors) {
        if (!names.insert(tensor.name).second || tensor.name == "__metadata__")
            throw core::PreconditionError("to_safetensors", "name", tensor.name, "a name of its own");
        if (product(tensor.shape) != count_of(tensor)) {
            throw core::PreconditionError("to_safetensors", "shape of " + tensor.name,
                                          std::to_string(product(tensor.shape)),
                                          std::to_string(count_of(tensor)) + " numbers");
        }
    }
}

template <class Number>
std::vector<Number> numbers_from(std::string_view bytes) {
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
}

/// Reads one tensor; the caller must catch a nlohmann::json::exception.
Tensor read_tensor(const std::string& name, const Ordered& entry, std::string_view data, const std::string& path) {
    Tensor tensor{name, entry.at("shape").get<std::vector<std::size_t>>(), std::vector<float>{}};
    const auto ends = entry.at("data_offsets").get<std::vector<std::size_t>>();
    const auto type = entry.at("dtype").get<std::string>();
    const std::size_t size = type == type_of<float>() ? sizeof(float) : sizeof(double);
    if (ends.size() != 2 || ends[0] > ends[1]) damaged(path, "the offsets of '" + name + "' are invalid");
    if (ends[1] > data.size()) {
        damaged(path, fmt::format("it is cut short: '{}' ends at byte {} of the numbers, of which there are {}", name,
                                  ends[1], data.size()));
    }
    const std::string_view bytes = data.substr(ends[0], ends[1] - ends[0]);
    if (bytes.size() != product(tensor.shape) * size)
        damaged(path, fmt::format("'{}' has {} bytes, not those of its shape", name, bytes.size()));
    if (type == type_of<float>())
        tensor.data = numbers_from<float>(bytes);
    else if (type == type_of<double>())
        tensor.data = numbers_from<double>(bytes);
    else if (type == type_of<std::int64_t>())
        tensor.data = numbers_from<std::int64_t>(bytes);
    else
        damaged(path, "'" + name + "' holds " + type + "; F32, F64 and I64 are read");
    return tensor;
}

std::string shape_text(const std::vector<std::size_t>& shape) {
    std::string text;
    for (const std::size_t each : shape) text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
}

}  // namespace

const Tensor* Checkpoint::find(std::string_view name) const {
    for (const Tensor& tensor : tensors)
        if (tensor.name == name) return &tensor;
    return nullptr;
}

/// The header before the numbers.
static std::string header_of(const Checkpoint& checkpoint) {
    check(checkpoint);
    Ordered header;
    Ordered& metadata = header["__metadata__"];
    for (const auto& [key, value] : checkpoint.metadata) metadata[key] = value;
    metadata[std::string(digest_key)] = digest_of(checkpoint);
    std::size_t at = 0;
    for (const Tensor& tensor : checkpoint.tensors) {
        const std::size_t end = at + bytes_of(tensor).size();
        header[tensor.name] = {{"dtype", type_name(tensor)}, {"shape", tensor.shape}, {"data_offsets", {at, end}}};
        at = end;
    }
    std::string text = header.dump();
    while (text.size() % length_bytes != 0) text += ' ';  // so that the numbers are aligned
    const std::uint64_t length = text.size();
    std::string bytes(reinterpret_cast<const char*>(&length), length_bytes);
    return bytes + text;
}

std::string to_safetensors(const Checkpoint& checkpoint) {
    std::string bytes = header_of(checkpoint);
    for (const Tensor& tensor : checkpoint.tensors) bytes += bytes_of(tensor);
    return bytes;
}

Checkpoint from_safetensors(std::string_view bytes, const std::string& path) {
    std::uint64_t length = 0;
    if (bytes.size() < length_bytes) damaged(path, "it is cut short: it has no header");
    std::memcpy(&length, bytes.data(), length_bytes);
    if (length > most_header_bytes) damaged(path, "it is not a safetensors file");
    if (length > bytes.size() - length_bytes) damaged(path, "it is cut short: its header is not whole");
    const std::string_view data = bytes.substr(length_bytes + length);
    Checkpoint checkpoint;
    std::size_t end = 0;
    // The parser treats a zero byte as the end of the text.
    if (bytes.substr(length_bytes, length).find('\0') != std::string_view::npos) damaged(path, "its header is damaged");
    try {
        // In the order of the file, on which the digest depends.
        const Ordered header = core::parse_with_keys_once<Ordered>(
            bytes.substr(length_bytes, length),
            [&](const std::string& key) { damaged(path, "its header has the key '" + key + "' twice"); });
        for (const auto& [name, entry] : header.items()) {
            if (name == "__metadata__") {
                checkpoint.metadata = entry.get<std::map<std::string, std::string>>();
                continue;
            }
            checkpoint.tensors.push_back(read_tensor(name, entry, data, path));
            end = std::max(end, entry.at("data_offsets").at(1).get<std::size_t>());
        }
    } catch (const nlohmann::json::exception& error) {
        damaged(path, std::string("its header is damaged: ") + error.what());
    }
    if (end != data.size()) damaged(path, fmt::format("{} bytes follow its last tensor", data.size() - end));
    const auto digest = checkpoint.metadata.find(std::string(digest_key));
    if (digest == checkpoint.metadata.end()) return checkpoint;
    if (digest->second != digest_of(checkpoint)) damaged(path, "its contents are not what its digest says");
    checkpoint.metadata.erase(digest);
    return checkpoint;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
    const std::string header = header_of(checkpoint);
    std::vector<std::string_view> parts = {header};
    for (const Tensor& tensor : checkpoint.tensors) parts.push_back(bytes_of(tensor));
    core::write_file(path, parts, "--cache");
}

Checkpoint load_checkpoint(const std::string& path) {
    constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 36;
    return from_safetensors(core::read_file(path, most_bytes), path);
}

std::span<const float> floats(const Checkpoint& checkpoint, std::string_view name,
                              const std::vector<std::size_t>& shape, const std::string& path) {
    const Tensor* tensor = checkpoint.find(name);
    if (!tensor) damaged(path, fmt::format("it has no tensor '{}'", name));
    const auto* numbers = std::get_if<Numbers<float>>(&tensor->data);
    if (!numbers) damaged(path, fmt::format("'{}' holds {}, not F32", name, type_name(*tensor)));
    if (tensor->shape != shape) {
        damaged(path,
                fmt::format("'{}' has the shape {}, the model {}", name, shape_text(tensor->shape), shape_text(shape)));
    }
    return numbers->all();
}

}  // namespace farfield::train
