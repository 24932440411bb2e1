#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/tensor/gguf.hpp>

#include "tensor/bytes.hpp"
#include "tensor/refuse.hpp"

namespace farfield::tensor {
namespace {

template <class Number>
Number number_at(const std::byte* from) {
    Number number{};
    std::memcpy(&number, from, sizeof(Number));
    return number;
}

unsigned byte_at(const std::byte* from, std::size_t index) {
    return std::to_integer<unsigned>(from[index]);
}

/// An IEEE half as a float, exactly.
float half_at(const std::byte* from) {
    const unsigned bits = number_at<std::uint16_t>(from);
    const std::uint32_t sign = (bits & 0x8000U) << 16;
    const std::uint32_t exponent = bits >> 10 & 31U;
    const std::uint32_t fraction = bits & 1023U;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
    if (exponent > 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
    const float small = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -small : small;
}

float signed_byte(const std::byte* from) {
    return static_cast<float>(number_at<std::int8_t>(from));
}

void read_f32(const std::byte* from, float* to) {
    *to = number_at<float>(from);
}

void read_f16(const std::byte* from, float* to) {
    *to = half_at(from);
}

void read_bf16(const std::byte* from, float* to) {
    *to = std::bit_cast<float>(static_cast<std::uint32_t>(number_at<std::uint16_t>(from)) << 16);
}

void read_q8_0(const std::byte* from, float* to) {
    const float scale = half_at(from);
    for (std::size_t i = 0; i < 32; ++i) to[i] = signed_byte(from + 2 + i) * scale;
}

/// 32 numbers of 4 bits, or of 5 with the fifth bits in `high`, low halves of bytes first: scale * (q - zero) + least.
struct Nibbles {
    const std::byte* low;
    std::uint32_t high;
    int zero;
    float scale;
    float least;

    void write(float* to) const {
        for (std::size_t i = 0; i < 16; ++i) {
            const unsigned byte = byte_at(low, i);
            const unsigned first = (byte & 15U) | (high >> i & 1U) << 4;
            const unsigned second = byte >> 4 | (high >> (i + 16) & 1U) << 4;
            to[i] = value(first);
            to[i + 16] = value(second);
        }
    }
    float value(unsigned q) const { return static_cast<float>(static_cast<int>(q) - zero) * scale + least; }
};

void read_q4_0(const std::byte* from, float* to) {
    Nibbles{from + 2, 0, 8, half_at(from), 0}.write(to);
}

void read_q4_1(const std::byte* from, float* to) {
    Nibbles{from + 4, 0, 0, half_at(from), half_at(from + 2)}.write(to);
}

void read_q5_0(const std::byte* from, float* to) {
    Nibbles{from + 6, number_at<std::uint32_t>(from + 2), 16, half_at(from), 0}.write(to);
}

void read_q5_1(const std::byte* from, float* to) {
    Nibbles{from + 8, number_at<std::uint32_t>(from + 4), 0, half_at(from), half_at(from + 2)}.write(to);
}

/// Scale and minimum, 6 bits each, of part `index` of 8.
std::array<float, 2> scale_and_least(const std::byte* packed, std::size_t index) {
    const auto at = [packed](std::size_t i) { return byte_at(packed, i); };
    if (index < 4) return {static_cast<float>(at(index) & 63U), static_cast<float>(at(index + 4) & 63U)};
    const unsigned both = at(index + 4);
    return {static_cast<float>((both & 15U) | at(index - 4) >> 6 << 4),
            static_cast<float>(both >> 4 | at(index) >> 6 << 4)};
}

/// 256 numbers in 8 parts, each with its own scale; `high` holds the fifth bits, or is null.
void read_q45_k(const std::byte* from, const std::byte* high, const std::byte* low, float* to) {
    const float scale = half_at(from);
    const float least = half_at(from + 2);
    for (std::size_t part = 0; part < 8; ++part) {
        const auto [s, m] = scale_and_least(from + 4, part);
        const float part_scale = scale * s;
        const float part_least = least * m;
        for (std::size_t i = 0; i < 32; ++i) {
            const unsigned byte = byte_at(low, part / 2 * 32 + i);
            unsigned q = part % 2 == 0 ? byte & 15U : byte >> 4;
            if (high != nullptr) q += (byte_at(high, i) >> part & 1U) << 4;
            to[part * 32 + i] = part_scale * static_cast<float>(q) - part_least;
        }
    }
}

void read_q4_k(const std::byte* from, float* to) {
    read_q45_k(from, nullptr, from + 16, to);
}

void read_q5_k(const std::byte* from, float* to) {
    read_q45_k(from, from + 16, from + 48, to);
}

void read_q6_k(const std::byte* from, float* to) {
    const float scale = half_at(from + 208);
    for (std::size_t half = 0; half < 2; ++half) {
        const std::byte* const low = from + half * 64;
        const std::byte* const high = from + 128 + half * 32;
        const std::byte* const scales = from + 192 + half * 8;
        for (std::size_t quarter = 0; quarter < 4; ++quarter) {
            for (std::size_t i = 0; i < 32; ++i) {
                const unsigned byte = byte_at(low, quarter % 2 * 32 + i);
                const unsigned bits = quarter < 2 ? byte & 15U : byte >> 4;
                const unsigned q = bits | (byte_at(high, i) >> (2 * quarter) & 3U) << 4;
                const float part_scale = scale * signed_byte(scales + i / 16 + 2 * quarter);
                to[half * 128 + quarter * 32 + i] = part_scale * static_cast<float>(static_cast<int>(q) - 32);
            }
        }
    }
}

constexpr GgufType known_gguf_types[] = {
    {0, "F32", 1, 4, read_f32},
    {1, "F16", 1, 2, read_f16},
    {2, "Q4_0", 32, 18, read_q4_0},
    {3, "Q4_1", 32, 20, read_q4_1},
    {6, "Q5_0", 32, 22, read_q5_0},
    {7, "Q5_1", 32, 24, read_q5_1},
    {8, "Q8_0", 32, 34, read_q8_0},
    {9, "Q8_1"},
    {10, "Q2_K"},
    {11, "Q3_K"},
    {12, "Q4_K", 256, 144, read_q4_k},
    {13, "Q5_K", 256, 176, read_q5_k},
    {14, "Q6_K", 256, 210, read_q6_k},
    {15, "Q8_K"},
    {16, "IQ2_XXS"},
    {17, "IQ2_XS"},
    {18, "IQ3_XXS"},
    {19, "IQ1_S"},
    {20, "IQ4_NL"},
    {21, "IQ3_S"},
    {22, "IQ2_S"},
    {23, "IQ4_XS"},
    {24, "I8"},
    {25, "I16"},
    {26, "I32"},
    {27, "I64"},
    {28, "F64"},
    {29, "IQ1_M"},
    {30, "BF16", 1, 2, read_bf16},
    {34, "TQ1_0"},
    {35, "TQ2_0"},
    {39, "MXFP4"},
};

const GgufType* find_gguf_type(std::uint32_t id) {
    for (const GgufType& type : known_gguf_types)
        if (type.id == id) return &type;
    return nullptr;
}

std::string readable_types() {
    std::string names;
    for (const GgufType& type : known_gguf_types) {
        if (type.block == nullptr) continue;
        if (!names.empty()) names += ", ";
        names += type.name;
    }
    return names;
}

std::string shown_name(const GgufTensor& tensor) {
    return "tensor '" + core::printable_line(core::shortened(tensor.name)) + "'";
}

/// The size of the tensor's data in bytes; throws core::UserError if its type or shape is invalid.
std::uint64_t checked_bytes(const GgufTensor& tensor, const std::string& path) {
    const GgufType* const type = find_gguf_type(tensor.type);
    const auto fail = [&](const std::string& found, const std::string& wanted) {
        refuse(path, shown_name(tensor) + " " + found, wanted);
    };
    if (type == nullptr) fail(fmt::format("has the unknown type {}", tensor.type), readable_types());
    if (type->block == nullptr)
        fail(fmt::format("has the type {}, which is not supported", type->name), readable_types());
    if (tensor.shape.empty()) fail("has no axes", "at least one");
    std::uint64_t bytes = type->block_bytes;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
        std::uint64_t count = tensor.shape[axis];
        if (count == 0) fail("has an axis of 0 numbers", "at least 1");
        if (axis + 1 == tensor.shape.size()) {
            if (count % type->block_numbers != 0)
                fail(fmt::format("has rows of {} numbers", count),
                     fmt::format("a multiple of {}, the block of {}", type->block_numbers, type->name));
            count /= type->block_numbers;
        }
        if (__builtin_mul_overflow(bytes, count, &bytes)) fail("has more than 2^64 bytes", "a whole file");
    }
    return bytes;
}

void refuse_overlaps(const std::vector<GgufTensor>& tensors, const std::string& path) {
    std::vector<const GgufTensor*> sorted;
    sorted.reserve(tensors.size());
    for (const GgufTensor& tensor : tensors) sorted.push_back(&tensor);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < sorted.size(); ++i) {
        const std::uint64_t end = sorted[i - 1]->offset + checked_bytes(*sorted[i - 1], path);
        if (sorted[i]->offset < end)
            refuse(path, fmt::format("{} begins within {}", shown_name(*sorted[i]), shown_name(*sorted[i - 1])),
                   fmt::format("byte {} of the data, or a later one", end));
    }
}

}  // namespace

std::span<const GgufType> gguf_types() {
    return known_gguf_types;
}

GgufFile::GgufFile(const std::string& path) : header_(read_gguf_header(path)), bytes_(Bytes::open(path)) {
    std::uint64_t alignment = 32;
    if (const GgufValue* const given = header_.find("general.alignment")) {
        const bool is_usable = given->kind == GgufValue::Kind::number && given->is_integer && given->number >= 8 &&
                               given->number <= 1 << 20 && std::fmod(given->number, 8) == 0;
        if (!is_usable) refuse(path, "'general.alignment' is not usable", "a multiple of 8, at most 2^20");
        alignment = static_cast<std::uint64_t>(given->number);
    }
    data_ = (header_.size + alignment - 1) / alignment * alignment;
    for (const GgufTensor& tensor : header_.tensors) {
        const std::uint64_t bytes = checked_bytes(tensor, path);
        const std::uint64_t room = bytes_->size() > data_ ? bytes_->size() - data_ : 0;
        if (tensor.offset > room || bytes > room - tensor.offset)
            refuse(path,
                   fmt::format("{} has {} bytes from byte {} of the data on, which has {}", shown_name(tensor), bytes,
                               tensor.offset, room),
                   "a whole file");
        if (!index_.emplace(tensor.name, index_.size()).second)
            refuse(path, "duplicate " + shown_name(tensor), "each tensor once");
        if (tensor.offset % alignment != 0)
            refuse(path, fmt::format("{} is at byte {} of the data", shown_name(tensor), tensor.offset),
                   fmt::format("a multiple of the alignment, {}", alignment));
    }
    refuse_overlaps(header_.tensors, path);
}

const std::string& GgufFile::path() const {
    return bytes_->path();
}

const GgufTensor* GgufFile::find(std::string_view name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : &header_.tensors[found->second];
}

void GgufFile::read_rows(const GgufTensor& tensor, std::size_t row, std::span<float> result) const {
    const GgufType& type = *find_gguf_type(tensor.type);
    const std::uint64_t columns = tensor.shape.back();
    const std::uint64_t all = checked_bytes(tensor, path()) / type.block_bytes;
    const std::uint64_t first = row * (columns / type.block_numbers);
    const std::uint64_t count = result.size() / type.block_numbers;
    if (result.size() % columns != 0 || first > all || count > all - first)
        throw core::PreconditionError("tensor::GgufFile::read_rows", "row", std::to_string(row),
                                      "whole rows within the tensor");
    constexpr std::uint64_t piece_bytes = 1 << 16;
    const std::uint64_t blocks_at_once = piece_bytes / type.block_bytes;
    std::vector<std::byte> piece(blocks_at_once * type.block_bytes);
    for (std::uint64_t done = 0; done < count; done += blocks_at_once) {
        const std::uint64_t blocks = std::min(blocks_at_once, count - done);
        const std::span<std::byte> here = std::span(piece).first(blocks * type.block_bytes);
        bytes_->read(data_ + tensor.offset + (first + done) * type.block_bytes, here);
        for (std::uint64_t block = 0; block < blocks; ++block)
            type.block(here.data() + block * type.block_bytes, result.data() + (done + block) * type.block_numbers);
    }
}

}  // namespace farfield::tensor
