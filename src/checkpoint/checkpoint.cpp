#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/tensor/tensor.hpp>
#include <fstream>
#include <set>

#include "checkpoint/names.hpp"

namespace farfield::checkpoint {
namespace {

/// What is true of every file of an architecture.
struct Architecture {
    std::string_view name;
    /// How the rows of query and key weights are ordered: GGUF's `llama` has the pairs that rotate together side by
    /// side, whatever the model's source had.
    scheme::Pairs pairs;
};

constexpr std::array<Architecture, 1> known_architectures = {{
    {"llama", scheme::Pairs::interleaved},
}};

/// Reads keys behind the architecture's name.
class Keys {
public:
    Keys(const tensor::GgufFile& file, std::string architecture)
        : file_(file), architecture_(std::move(architecture)) {}

    std::optional<double> number(std::string_view key) const {
        const tensor::GgufValue* const value = file_.header().find(architecture_ + "." + std::string(key));
        if (value == nullptr) return {};
        if (value->kind != tensor::GgufValue::Kind::number || !std::isfinite(value->number))
            refuse(file_, fmt::format("'{}.{}' is not a number", architecture_, key), "a number");
        return value->number;
    }
    double positive(std::string_view key, std::optional<double> otherwise = {}) const {
        const std::optional<double> value = number(key);
        if (!value && otherwise) return *otherwise;
        if (!value) refuse(file_, fmt::format("'{}.{}' is missing", architecture_, key), "a number above 0");
        if (!(*value > 0)) refuse(file_, fmt::format("'{}.{}' is {}", architecture_, key, *value), "a number above 0");
        return *value;
    }
    std::size_t count(std::string_view key, std::optional<std::size_t> otherwise = {}) const {
        constexpr double most = 1 << 30;
        const std::optional<double> value = number(key);
        if (!value && otherwise) return *otherwise;
        if (!value) refuse(file_, fmt::format("'{}.{}' is missing", architecture_, key), "a whole number from 1");
        if (!(*value >= 1 && *value <= most && std::floor(*value) == *value))
            refuse(file_, fmt::format("'{}.{}' is {}", architecture_, key, *value), "a whole number from 1 to 2^30");
        return static_cast<std::size_t>(*value);
    }

private:
    const tensor::GgufFile& file_;
    std::string architecture_;
};

const Architecture& architecture_of(const tensor::GgufFile& file) {
    const tensor::GgufValue* const value = file.header().find("general.architecture");
    if (value == nullptr || value->kind != tensor::GgufValue::Kind::text)
        refuse(file, "'general.architecture' is missing", "the name of an architecture");
    std::vector<std::string> names;
    for (const Architecture& each : known_architectures) {
        if (each.name == value->text) return each;
        names.emplace_back(each.name);
    }
    refuse(file, "unknown architecture '" + core::printable_line(core::shortened(value->text)) + "'", {},
           core::known_here(value->text, names));
}

/// Refuses a file whose tensor of that name has another shape, or is not there.
void require_tensor(const tensor::GgufFile& file, std::string_view name, const std::vector<std::size_t>& shape) {
    const tensor::GgufTensor* const found = file.find(name);
    if (found == nullptr)
        refuse(file, fmt::format("tensor '{}' is missing", name), "one of shape " + tensor::shape_text(shape));
    const std::vector<std::size_t> given(found->shape.begin(), found->shape.end());
    if (given == shape) return;
    refuse(file, fmt::format("tensor '{}' has the shape {}", name, tensor::shape_text(given)),
           tensor::shape_text(shape) + ", by the keys of the file");
}

void require_tensors(const tensor::GgufFile& file, const Shape& s) {
    std::set<std::string, std::less<>> used = {std::string(frequencies_name)};
    const auto require_named = [&](std::string name, const std::vector<std::size_t>& shape) {
        require_tensor(file, name, shape);
        used.insert(std::move(name));
    };
    require_named(std::string(embedding_name), {s.vocabulary, s.width});
    require_named("output_norm.weight", {s.width});
    if (!s.tied) require_named(std::string(head_name), {s.vocabulary, s.width});
    for (std::size_t layer = 0; layer < s.layers; ++layer) {
        const auto require = [&](std::string_view part, const std::vector<std::size_t>& shape) {
            require_named(layer_name(layer, part), shape);
        };
        require("attn_norm", {s.width});
        require("attn_q", {s.heads * s.head_dim, s.width});
        require("attn_k", {s.key_heads * s.head_dim, s.width});
        require("attn_v", {s.key_heads * s.head_dim, s.width});
        require("attn_output", {s.width, s.heads * s.head_dim});
        require("ffn_norm", {s.width});
        require("ffn_gate", {s.ffn, s.width});
        require("ffn_up", {s.ffn, s.width});
        require("ffn_down", {s.width, s.ffn});
    }
    // One that is not used would be left out of the sums without a word.
    for (const tensor::GgufTensor& each : file.header().tensors) {
        if (used.contains(each.name)) continue;
        refuse(file, "tensor '" + core::printable_line(core::shortened(each.name)) + "' is not supported",
               "the tensors of a Llama without biases and experts");
    }
}

}  // namespace

void refuse(const tensor::GgufFile& file, std::string found, std::string wanted, std::string hint) {
    core::Place place;
    place.file = file.path();
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

std::string layer_name(std::size_t layer, std::string_view part) {
    return fmt::format("blk.{}.{}.weight", layer, part);
}

Checkpoint::Checkpoint(const std::string& path) : file_(std::make_shared<const tensor::GgufFile>(path)) {
    const Architecture& architecture = architecture_of(*file_);
    const Keys keys(*file_, std::string(architecture.name));
    shape_.architecture = architecture.name;
    shape_.pairs = architecture.pairs;
    shape_.layers = keys.count("block_count");
    shape_.heads = keys.count("attention.head_count");
    shape_.key_heads = keys.count("attention.head_count_kv", shape_.heads);
    shape_.width = keys.count("embedding_length");
    shape_.ffn = keys.count("feed_forward_length");
    shape_.context = keys.count("context_length");
    shape_.head_dim = keys.count("attention.key_length", std::max<std::size_t>(1, shape_.width / shape_.heads));
    shape_.rotated = keys.count("rope.dimension_count", shape_.head_dim);
    shape_.epsilon = keys.positive("attention.layer_norm_rms_epsilon");
    shape_.base = keys.positive("rope.freq_base", 10000.0);
    shape_.tied = file_->find(head_name) == nullptr;
    if (shape_.heads % shape_.key_heads != 0)
        refuse(*file_, fmt::format("{} query heads share {} key heads", shape_.heads, shape_.key_heads),
               "a multiple of the key heads");
    if (shape_.rotated > shape_.head_dim || shape_.rotated % 2 != 0)
        refuse(*file_, fmt::format("{} columns of a head of {} are rotated", shape_.rotated, shape_.head_dim),
               "an even number, at most the head's width");
    if (keys.count("attention.value_length", shape_.head_dim) != shape_.head_dim)
        refuse(*file_, "values are not as wide as keys", "equal attention.key_length and attention.value_length");
    if (const auto experts = keys.number("expert_count"); experts && *experts != 0)
        refuse(*file_, fmt::format("a mixture of {} experts is not supported", *experts), "one MLP a layer");
    const tensor::GgufTensor* const embedding = file_->find(embedding_name);
    if (embedding == nullptr || embedding->shape.size() != 2)
        refuse(*file_, "tensor '" + std::string(embedding_name) + "' is missing or has not two axes",
               "one of shape [vocabulary, embedding_length]");
    shape_.vocabulary = embedding->shape.front();
    require_tensors(*file_, shape_);
}

std::size_t Checkpoint::parameters() const {
    std::size_t total = 0;
    for (const tensor::GgufTensor& each : file_->header().tensors) {
        std::size_t count = each.name == frequencies_name ? 0 : 1;
        for (const std::uint64_t axis : each.shape) count *= axis;
        total += count;
    }
    return total;
}

model::Config Checkpoint::config() const {
    model::Config config;
    config.layers = shape_.layers;
    config.heads = shape_.heads;
    config.width = shape_.heads * shape_.head_dim;
    config.vocabulary = shape_.vocabulary;
    config.train_length = shape_.context;
    return config;
}

std::string Checkpoint::identity() const {
    constexpr std::uint64_t pieces = 64;
    constexpr std::uint64_t piece_bytes = 1 << 16;
    std::ifstream stream(file_->path(), std::ios::binary);
    stream.seekg(0, std::ios::end);
    const auto size = static_cast<std::uint64_t>(std::max<std::streamoff>(stream.tellg(), 0));
    std::string text = std::to_string(size);
    const auto add = [&](std::uint64_t from, std::uint64_t count) {
        std::string piece(std::min(count, size - from), '\0');
        stream.seekg(static_cast<std::streamoff>(from));
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        text += piece;
    };
    add(0, file_->header().size);
    for (std::uint64_t piece = 0; piece < pieces; ++piece) add(size / pieces * piece, piece_bytes);
    return core::sha256(text);
}

scheme::Scheme Checkpoint::scheme(const scheme::Registry& registry, const std::optional<std::string>& name,
                                  const std::vector<std::pair<std::string, std::string>>& params) const {
    if (!name) {
        const tensor::GgufValue* const scaling = file_->header().find(shape_.architecture + ".rope.scaling.type");
        const std::string what = scaling != nullptr && scaling->text != "none" ? "'rope.scaling.type'"
                                 : file_->find(frequencies_name) != nullptr    ? "tensor 'rope_freqs.weight'"
                                                                               : "";
        if (!what.empty())
            refuse(*file_, what + " changes the rotation, which is not read from the file",
                   "--scheme NAME, such as rotary-llama3, rotary-yarn or rotary-linear, with its params by --set");
    }
    const std::string chosen = name.value_or("rotary");
    const scheme::Scheme* const known = registry.find(chosen);
    if (known == nullptr)
        throw core::UserError(
            {core::Diagnostic{{}, "unknown scheme '" + chosen + "'", "", core::known_here(chosen, registry.names())}});
    std::vector<std::pair<std::string, std::string>> all = params;
    const auto is_base = [](const auto& pair) { return pair.first == "base"; };
    const bool has_base = std::any_of(known->params.begin(), known->params.end(), is_base);
    if (has_base && std::none_of(all.begin(), all.end(), is_base))
        all.emplace_back("base", fmt::format("{}", shape_.base));
    core::Problems problems;
    scheme::Scheme result = registry.with_params(chosen, all, {}, problems);
    problems.raise();
    if (result.rotate) {
        result.rotate->pairs = shape_.pairs;
        if (result.rotate->fraction == 1)
            result.rotate->fraction = static_cast<double>(shape_.rotated) / static_cast<double>(shape_.head_dim);
    }
    return result;
}

}  // namespace farfield::checkpoint
