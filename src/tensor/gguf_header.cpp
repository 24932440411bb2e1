#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/tensor/gguf.hpp>
#include <optional>
#include <span>

namespace farfield::tensor {

namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read as little-endian");

constexpr std::uint64_t most_gguf_header_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t most_key_bytes = 65535;
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 16;
constexpr int most_nesting = 4;

enum GgufKind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array<std::uint64_t, 13> gguf_sizes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/// Reads the file from its beginning through a buffer.
class GgufStream {
public:
    explicit GgufStream(const std::string& path) : file_(path), buffer_(65536) {}

    /// At the first byte of the last number, or of the last text, whose length it is.
    [[noreturn]] void refuse(const std::string& found, const std::string& wanted) const {
        refuse_at(number_, found, wanted);
    }

    std::uint64_t offset() const { return offset_; }
    std::uint64_t left() const { return file_.size() > offset_ ? file_.size() - offset_ : 0; }

    void read(std::span<char> result) {
        require(result.size());
        for (std::size_t done = 0; done < result.size();) {
            if (first_ == last_) fill();
            const std::size_t count = std::min(result.size() - done, last_ - first_);
            std::memcpy(result.data() + done, buffer_.data() + first_, count);
            advance(count);
            done += count;
        }
    }

    void skip(std::uint64_t bytes) {
        require(bytes);
        while (bytes > 0) {
            if (first_ == last_) fill();
            const std::uint64_t count = std::min<std::uint64_t>(bytes, last_ - first_);
            advance(count);
            bytes -= count;
        }
    }

    template <class Number>
    Number number() {
        std::array<char, sizeof(Number)> bytes{};
        number_ = offset_;
        read(bytes);
        return std::bit_cast<Number>(bytes);
    }

    std::string string(std::uint64_t most, const char* what) {
        const auto length = number<std::uint64_t>();
        if (length > most) refuse(fmt::format("{} of {} bytes", what, length), fmt::format("at most {} bytes", most));
        require(length);
        std::string result(length, '\0');
        read(result);
        return result;
    }

private:
    [[noreturn]] void refuse_at(std::uint64_t byte, const std::string& found, const std::string& wanted) const {
        core::Place place;
        place.file = file_.path();
        throw core::UserError({core::Diagnostic{place, fmt::format("byte {}: {}", byte, found), wanted, {}}});
    }

    void require(std::uint64_t bytes) const {
        if (bytes > left())
            refuse_at(offset_, fmt::format("{} bytes are wanted, {} are left", bytes, left()), "a whole file");
        if (offset_ + bytes > most_gguf_header_bytes)
            refuse_at(offset_, "the header is larger than 64 MiB", "a header without numbers");
    }

    void fill() {
        first_ = 0;
        last_ = file_.read(buffer_);
        if (last_ == 0) refuse_at(offset_, "the file ends", "a whole file");
    }

    void advance(std::uint64_t count) {
        first_ += count;
        offset_ += count;
    }

    core::InputFile file_;
    std::vector<char> buffer_;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::uint64_t offset_ = 0;
    std::uint64_t number_ = 0;  ///< where the last number begins
};

GgufValue gguf_number(double number, bool is_integer) {
    return {GgufValue::Kind::number, is_integer, number, {}};
}

GgufValue read_gguf_number(GgufStream& stream, std::uint32_t kind) {
    switch (kind) {
        case u8: return gguf_number(stream.number<std::uint8_t>(), true);
        case i8: return gguf_number(stream.number<std::int8_t>(), true);
        case u16: return gguf_number(stream.number<std::uint16_t>(), true);
        case i16: return gguf_number(stream.number<std::int16_t>(), true);
        case u32: return gguf_number(stream.number<std::uint32_t>(), true);
        case i32: return gguf_number(stream.number<std::int32_t>(), true);
        case f32: return gguf_number(static_cast<double>(stream.number<float>()), false);
        case u64: return gguf_number(static_cast<double>(stream.number<std::uint64_t>()), true);
        case i64: return gguf_number(static_cast<double>(stream.number<std::int64_t>()), true);
        case f64: return gguf_number(stream.number<double>(), false);
        default: break;
    }
    return {GgufValue::Kind::boolean, false, stream.number<std::uint8_t>() != 0 ? 1.0 : 0.0, {}};
}

struct GgufArray {
    std::uint32_t kind;
    std::uint64_t count;
};

GgufArray begin_gguf_array(GgufStream& stream) {
    const auto kind = stream.number<std::uint32_t>();
    if (kind >= gguf_sizes.size()) stream.refuse(fmt::format("an array of the unknown type {}", kind), "0 to 12");
    const auto count = stream.number<std::uint64_t>();
    const std::uint64_t least = kind == text ? 8 : kind == array ? 12 : gguf_sizes[kind];
    if (count > stream.left() / least)
        stream.refuse(fmt::format("an array of {} values, for which {} bytes are left", count, stream.left()),
                      "a whole file");
    return {kind, count};
}

void skip_gguf_array(GgufStream& stream, int depth) {
    const auto [kind, count] = begin_gguf_array(stream);
    if (kind != text && kind != array) return stream.skip(count * gguf_sizes[kind]);
    if (kind == array && depth >= most_nesting) stream.refuse("arrays nested too deeply", "at most 4 levels");
    for (std::uint64_t i = 0; i < count; ++i) {
        if (kind == array)
            skip_gguf_array(stream, depth + 1);
        else
            stream.skip(stream.number<std::uint64_t>());
    }
}

/// Reads a value; returns nothing for an array or a long text, which are skipped.
std::optional<GgufValue> read_gguf_value(GgufStream& stream) {
    const auto kind = stream.number<std::uint32_t>();
    if (kind >= gguf_sizes.size()) stream.refuse(fmt::format("a value of the unknown type {}", kind), "0 to 12");
    if (kind == array) {
        skip_gguf_array(stream, 0);
        return {};
    }
    if (kind != text) return read_gguf_number(stream, kind);
    const auto length = stream.number<std::uint64_t>();
    if (length > most_text_bytes) {
        stream.skip(length);
        return {};
    }
    if (length > stream.left())
        stream.refuse(fmt::format("a text of {} bytes, {} are left", length, stream.left()), "a whole file");
    std::string result(length, '\0');
    stream.read(result);
    return GgufValue{GgufValue::Kind::text, false, 0, std::move(result)};
}

/// The beginning of the file up to its keys.
struct GgufCounts {
    std::uint64_t tensors;
    std::uint64_t pairs;
};

GgufCounts begin_gguf(GgufStream& stream) {
    std::array<char, 4> magic{};
    stream.read(magic);
    if (std::memcmp(magic.data(), "GGUF", magic.size()) != 0)
        stream.refuse("this is not a GGUF file", "\"GGUF\" at its beginning");
    const auto version = stream.number<std::uint32_t>();
    if (version != 2 && version != 3)
        stream.refuse(fmt::format("version {} of GGUF", version), "version 2 or 3, little-endian");
    const auto tensors = stream.number<std::uint64_t>();
    const auto pairs = stream.number<std::uint64_t>();
    constexpr std::uint64_t least_bytes = 13;
    if (pairs > stream.left() / least_bytes || tensors > stream.left() / least_bytes)
        stream.refuse(
            fmt::format("{} keys and {} tensors are announced, {} bytes are left", pairs, tensors, stream.left()),
            "a whole file");
    constexpr std::uint64_t most_pairs = 4096;
    if (pairs > most_pairs) stream.refuse(fmt::format("{} keys", pairs), fmt::format("at most {}", most_pairs));
    return {tensors, pairs};
}

}  // namespace

bool is_gguf(const std::string& path) {
    core::InputFile file(path);
    std::array<char, 4> magic{};
    return file.read(magic) == magic.size() && std::memcmp(magic.data(), "GGUF", magic.size()) == 0;
}

GgufHeader read_gguf_header(const std::string& path) {
    GgufStream stream(path);
    const auto [tensors, pairs] = begin_gguf(stream);
    GgufHeader header;
    auto& values = header.values;
    for (std::uint64_t i = 0; i < pairs; ++i) {
        std::string key = stream.string(most_key_bytes, "a key");
        const auto known =
            std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == key; });
        if (known != values.end())
            stream.refuse("duplicate key '" + core::printable_line(core::shortened(key)) + "'", "each key once");
        if (auto value = read_gguf_value(stream); value) values.emplace_back(std::move(key), std::move(*value));
    }
    for (std::uint64_t i = 0; i < tensors; ++i) {
        GgufTensor tensor;
        tensor.name = stream.string(most_key_bytes, "a tensor's name");
        const auto axes = stream.number<std::uint32_t>();
        if (axes > 8) stream.refuse(fmt::format("a tensor of {} axes", axes), "at most 8");
        for (std::uint32_t axis = 0; axis < axes; ++axis) tensor.shape.push_back(stream.number<std::uint64_t>());
        std::reverse(tensor.shape.begin(), tensor.shape.end());
        tensor.type = stream.number<std::uint32_t>();
        tensor.offset = stream.number<std::uint64_t>();
        header.tensors.push_back(std::move(tensor));
    }
    header.size = stream.offset();
    return header;
}

void read_gguf_array(const std::string& path, std::string_view key, const std::function<void(const GgufValue&)>& take) {
    GgufStream stream(path);
    const auto pairs = begin_gguf(stream).pairs;
    for (std::uint64_t i = 0; i < pairs; ++i) {
        if (stream.string(most_key_bytes, "a key") != key) {
            read_gguf_value(stream);
            continue;
        }
        if (stream.number<std::uint32_t>() != array) return;
        const auto [kind, count] = begin_gguf_array(stream);
        if (kind == array) return;
        for (std::uint64_t at = 0; at < count; ++at) {
            take(kind == text
                     ? GgufValue{GgufValue::Kind::text, false, 0, stream.string(most_text_bytes, "a text of an array")}
                     : read_gguf_number(stream, kind));
        }
        return;
    }
}

const GgufValue* GgufHeader::find(std::string_view key) const {
    for (const auto& [name, value] : values)
        if (name == key) return &value;
    return nullptr;
}

}  // namespace farfield::tensor
