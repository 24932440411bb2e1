#include "doctor/gguf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <optional>
#include <span>

namespace farfield::doctor {

namespace {

static_assert(std::endian::native == std::endian::little, "GGUF is read as little-endian");

constexpr std::uint64_t most_header_bytes = std::uint64_t{64} << 20;
constexpr std::uint64_t most_key_bytes = 65535;
constexpr std::uint64_t most_text_bytes = std::uint64_t{1} << 16;
constexpr int most_nesting = 4;

enum GgufKind : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64 };
constexpr std::array<std::uint64_t, 13> sizes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/// The file from its beginning on, through a buffer.
class Stream {
public:
    explicit Stream(const std::string& path) : file_(path), buffer_(65536) {}

    [[noreturn]] void refuse(const std::string& found, const std::string& wanted) const {
        core::Place place;
        place.file = file_.path();
        throw core::UserError({core::Diagnostic{place, fmt::format("byte {}: {}", offset_, found), wanted, {}}});
    }

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
    void require(std::uint64_t bytes) const {
        if (bytes > left()) refuse(fmt::format("{} bytes are wanted, {} are left", bytes, left()), "a whole file");
        if (offset_ + bytes > most_header_bytes) refuse("the header is larger than 64 MiB", "a header without numbers");
    }

    void fill() {
        first_ = 0;
        last_ = file_.read(buffer_);
        if (last_ == 0) refuse("the file ends", "a whole file");
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
};

Value number_value(double number, bool is_integer) {
    Value value;
    value.kind = Value::Kind::number;
    value.number = number;
    value.is_integer = is_integer;
    value.text = fmt::format("{}", number);
    return value;
}

Value text_value(std::string text) {
    Value value;
    value.kind = Value::Kind::text;
    value.text = std::move(text);
    return value;
}

Value read_number(Stream& stream, std::uint32_t kind) {
    switch (kind) {
        case u8: return number_value(stream.number<std::uint8_t>(), true);
        case i8: return number_value(stream.number<std::int8_t>(), true);
        case u16: return number_value(stream.number<std::uint16_t>(), true);
        case i16: return number_value(stream.number<std::int16_t>(), true);
        case u32: return number_value(stream.number<std::uint32_t>(), true);
        case i32: return number_value(stream.number<std::int32_t>(), true);
        case f32: return number_value(static_cast<double>(stream.number<float>()), false);
        case u64: return number_value(static_cast<double>(stream.number<std::uint64_t>()), true);
        case i64: return number_value(static_cast<double>(stream.number<std::int64_t>()), true);
        case f64: return number_value(stream.number<double>(), false);
        default: break;
    }
    Value value;
    value.kind = Value::Kind::boolean;
    value.number = stream.number<std::uint8_t>() != 0 ? 1 : 0;
    return value;
}

void skip_array(Stream& stream, int depth) {
    const auto kind = stream.number<std::uint32_t>();
    const auto count = stream.number<std::uint64_t>();
    if (kind >= sizes.size()) stream.refuse(fmt::format("an array of the unknown type {}", kind), "0 to 12");
    const std::uint64_t least = kind == text ? 8 : kind == array ? 12 : sizes[kind];
    if (count > stream.left() / least)
        stream.refuse(fmt::format("an array of {} values, for which {} bytes are left", count, stream.left()),
                      "a whole file");
    if (kind != text && kind != array) return stream.skip(count * sizes[kind]);
    if (kind == array && depth >= most_nesting) stream.refuse("arrays nested too deeply", "at most 4 levels");
    for (std::uint64_t i = 0; i < count; ++i) {
        if (kind == array)
            skip_array(stream, depth + 1);
        else
            stream.skip(stream.number<std::uint64_t>());
    }
}

/// A value; nothing for an array and for a long text, which are passed over.
std::optional<Value> read_value(Stream& stream) {
    const auto kind = stream.number<std::uint32_t>();
    if (kind >= sizes.size()) stream.refuse(fmt::format("a value of the unknown type {}", kind), "0 to 12");
    if (kind == array) {
        skip_array(stream, 0);
        return {};
    }
    if (kind != text) return read_number(stream, kind);
    const auto length = stream.number<std::uint64_t>();
    if (length > most_text_bytes) {
        stream.skip(length);
        return {};
    }
    if (length > stream.left())
        stream.refuse(fmt::format("a text of {} bytes, {} are left", length, stream.left()), "a whole file");
    std::string result(length, '\0');
    stream.read(result);
    return text_value(std::move(result));
}

struct Name {
    std::string_view gguf;
    std::string_view config;
};

/// Keys behind the architecture's name.
constexpr std::array<Name, 18> names = {{
    {"context_length", "max_position_embeddings"},
    {"embedding_length", "hidden_size"},
    {"attention.head_count", "num_attention_heads"},
    {"block_count", "num_hidden_layers"},
    {"attention.key_length", "head_dim"},
    {"rope.dimension_count", "rotary_dim"},
    {"rope.freq_base", "rope_theta"},
    {"rope.freq_base_swa", "rope_local_base_freq"},
    {"attention.sliding_window", "sliding_window"},
    {"attention.relative_buckets_count", "relative_attention_num_buckets"},
    {"rope.scale_linear", "rope_scaling/factor"},
    {"rope.scaling.type", "rope_scaling/rope_type"},
    {"rope.scaling.factor", "rope_scaling/factor"},
    {"rope.scaling.original_context_length", "rope_scaling/original_max_position_embeddings"},
    {"rope.scaling.attn_factor", "rope_scaling/attn_factor"},
    {"rope.scaling.yarn_attn_factor", "rope_scaling/attn_factor"},
    {"rope.scaling.yarn_beta_fast", "rope_scaling/beta_fast"},
    {"rope.scaling.yarn_beta_slow", "rope_scaling/beta_slow"},
}};

constexpr std::array<Name, 8> architectures = {{
    {"gemma3", "gemma3_text"},
    {"phi2", "phi"},
    {"gptneox", "gpt_neox"},
    {"command-r", "cohere"},
    {"deepseek2", "deepseek_v2"},
    {"qwen2moe", "qwen2_moe"},
    {"qwen3moe", "qwen3_moe"},
    {"starcoder", "gpt_bigcode"},
}};

void put(Value& object, std::string_view key, const std::string& shown, Value value) {
    if (object.find(key)) return;
    Member member;
    member.key = key;
    member.shown = shown;
    member.value = std::move(value);
    object.members.push_back(std::move(member));
}

void put_key(Value& root, const std::string& architecture, const std::string& key, const Value& value) {
    if (!key.starts_with(architecture + ".")) return;
    const std::string rest = key.substr(architecture.size() + 1);
    for (const Name& name : names) {
        if (name.gguf != rest) continue;
        std::string config(name.config);
        if (architecture == "deepseek2" && config == "rotary_dim") config = "qk_rope_head_dim";
        const std::size_t slash = config.find('/');
        if (slash == std::string::npos) return put(root, config, key, value);
        Value* scaling = nullptr;
        for (Member& member : root.members)
            if (member.key == "rope_scaling") scaling = &member.value;
        if (!scaling) {
            Value object;
            object.kind = Value::Kind::object;
            put(root, "rope_scaling", architecture + ".rope.scaling", std::move(object));
            scaling = &root.members.back().value;
        }
        Value chosen = value;
        if (config.ends_with("rope_type") && chosen.text == "none") chosen.text = "default";
        return put(*scaling, config.substr(slash + 1), key, std::move(chosen));
    }
}

}  // namespace

bool is_gguf(const std::string& path) {
    core::InputFile file(path);
    std::array<char, 4> magic{};
    return file.read(magic) == magic.size() && std::memcmp(magic.data(), "GGUF", magic.size()) == 0;
}

Document read_gguf(const std::string& path) {
    Stream stream(path);
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
    std::vector<std::pair<std::string, Value>> values;
    for (std::uint64_t i = 0; i < pairs; ++i) {
        std::string key = stream.string(most_key_bytes, "a key");
        const auto known =
            std::find_if(values.begin(), values.end(), [&](const auto& each) { return each.first == key; });
        if (known != values.end())
            stream.refuse("duplicate key '" + core::printable_line(core::shortened(key)) + "'", "each key once");
        if (auto value = read_value(stream); value) values.emplace_back(std::move(key), std::move(*value));
    }
    Document document;
    document.file = path;
    document.is_gguf = true;
    document.root.kind = Value::Kind::object;
    std::string architecture;
    for (const auto& [key, value] : values)
        if (key == "general.architecture" && value.is(Value::Kind::text)) architecture = value.text;
    if (architecture.empty()) stream.refuse("'general.architecture' is missing", "the name of an architecture");
    std::string type = architecture;
    for (const Name& name : architectures)
        if (name.gguf == architecture) type = name.config;
    put(document.root, "model_type", "general.architecture", text_value(type));
    for (const auto& [key, value] : values) put_key(document.root, architecture, key, value);
    for (std::uint64_t i = 0; i < tensors; ++i) {
        const std::string name = stream.string(most_key_bytes, "a tensor's name");
        const auto axes = stream.number<std::uint32_t>();
        if (axes > 8) stream.refuse(fmt::format("a tensor of {} axes", axes), "at most 8");
        stream.skip(std::uint64_t{8} * axes + 4 + 8);
        if (name == "rope_freqs.weight") document.has_frequency_factors = true;
    }
    return document;
}

}  // namespace farfield::doctor
