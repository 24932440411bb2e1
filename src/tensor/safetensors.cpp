// The header of safetensors: its length, and JSON with the type, shape and bytes of each tensor.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/json_keys.hpp"
#include "tensor/formats.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {

namespace {

using Json = nlohmann::json;

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t most_header_bytes = 100'000'000;  // the limit of the reference implementation

struct Kind {
    std::string_view code;
    ElementType type;
};

constexpr std::array<Kind, 12> kinds = {{
    {"F64", ElementType::float64},
    {"F32", ElementType::float32},
    {"F16", ElementType::float16},
    {"BF16", ElementType::bfloat16},
    {"F8_E4M3", ElementType::float8_e4m3},
    {"F8_E5M2", ElementType::float8_e5m2},
    {"I64", ElementType::int64},
    {"I32", ElementType::int32},
    {"I16", ElementType::int16},
    {"I8", ElementType::int8},
    {"U8", ElementType::uint8},
    {"BOOL", ElementType::boolean},
}};

/// Reads one entry of the header; the caller must catch a Json::exception.
Found read_entry(const std::string& name, const Json& entry, std::uint64_t data, const std::string& path) {
    Found found{{name, {}, entry.at("shape").get<std::vector<std::size_t>>()}, 0};
    const auto code = entry.at("dtype").get<std::string>();
    const auto* kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& each) { return each.code == code; });
    if (kind == kinds.end()) {
        refuse(path, "'" + name + "' holds numbers of the type '" + code + "'",
               "F64, F32, F16, BF16, F8_E4M3, F8_E5M2, signed or 8-bit integers, or BOOL");
    }
    found.description.type = kind->type;
    const auto ends = entry.at("data_offsets").get<std::vector<std::uint64_t>>();
    if (ends.size() != 2 || ends[0] > ends[1])
        refuse(path, "the header contradicts itself: '" + name + "' has no beginning and end", "two offsets");
    if (ends[1] > data) {
        refuse(path, fmt::format("'{}' ends at byte {} of the numbers, of which there are {}", name, ends[1], data),
               "a whole file");
    }
    found.offset = ends[0];
    check_size(found.description, ends[1] - ends[0], path);
    return found;
}

}  // namespace

std::vector<Found> read_safetensors_header(const Head& head, std::uint64_t size, const std::string& path) {
    std::uint64_t length = 0;
    if (head(0, std::as_writable_bytes(std::span(&length, 1))) != length_bytes || length > most_header_bytes)
        refuse(path, "this is not a safetensors file: it does not begin as one");
    if (length > size - length_bytes) refuse(path, "this file is cut short: its header is not whole", "a whole file");
    std::string text(length, '\0');
    head(length_bytes, std::as_writable_bytes(std::span(text)));
    const std::uint64_t begin = length_bytes + length;
    std::vector<Found> found;
    try {
        // The parser treats a zero byte as the end of the text.
        if (text.find('\0') != std::string::npos) refuse(path, "the header of this file is damaged: a zero byte");
        const Json header = core::parse_with_keys_once<Json>(text, [&](const std::string& key) {
            refuse(path, "the header has the key '" + key + "' twice", "each key once");
        });
        for (const auto& [name, entry] : header.items())
            if (name != "__metadata__") found.push_back(read_entry(name, entry, size - begin, path));
    } catch (const Json::exception& error) {
        refuse(path, std::string("the header of this file is damaged: ") + error.what(), "JSON as safetensors has it");
    }
    const auto end_of = [](const Found& each) {
        return each.offset + each.description.count() * size_of(each.description.type);
    };
    std::sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
        return std::pair(a.offset, end_of(a)) < std::pair(b.offset, end_of(b));
    });
    // The format allows neither gaps nor bytes that belong to no tensor.
    std::uint64_t ends_at = 0;
    for (std::size_t at = 0; at < found.size(); ++at) {
        const std::string& name = found[at].description.name;
        if (found[at].offset < ends_at) {
            refuse(path, "the tensors '" + found[at - 1].description.name + "' and '" + name + "' overlap",
                   "a place of its own for each");
        }
        if (found[at].offset > ends_at) {
            refuse(path, fmt::format("{} bytes before '{}' belong to no tensor", found[at].offset - ends_at, name),
                   "tensors one after the other");
        }
        ends_at = end_of(found[at]);
    }
    if (ends_at < size - begin) {
        refuse(path, fmt::format("{} bytes behind the last tensor belong to no tensor", size - begin - ends_at),
               "a file that ends with its last tensor");
    }
    for (Found& each : found) each.offset += begin;
    return found;
}

}  // namespace farfield::tensor
