#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/checkpoint/checkpoint.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/tensor/tensor.hpp>
#include <set>

#include "checkpoint/architecture.hpp"
#include "checkpoint/keys.hpp"
#include "checkpoint/names.hpp"
#include "checkpoint/source.hpp"

namespace farfield::checkpoint {
namespace {

const Architecture& architecture_of(const Source& file) {
    const tensor::GgufValue* const value = file.value("general.architecture");
    if (value == nullptr || value->kind != tensor::GgufValue::Kind::text)
        refuse(file, "'general.architecture' is missing", "the name of an architecture");
    std::vector<std::string> names;
    for (const Architecture& each : architectures()) {
        if (each.name == value->text) return each;
        names.emplace_back(each.name);
    }
    refuse(file, "unknown architecture '" + core::printable_line(core::shortened(value->text)) + "'", {},
           core::known_here(value->text, names));
}

/// Refuses a file whose tensor of that name has another shape or is missing.
void require_tensor(const Source& file, std::string_view name, const std::vector<std::size_t>& shape) {
    const tensor::GgufTensor* const found = file.find(name);
    if (found == nullptr)
        refuse(file, fmt::format("tensor '{}' is missing", file.shown(name)),
               "one of shape " + tensor::shape_text(shape));
    const std::vector<std::size_t> given(found->shape.begin(), found->shape.end());
    if (given == shape) return;
    refuse(file, fmt::format("tensor '{}' has the shape {}", file.shown(name), tensor::shape_text(given)),
           tensor::shape_text(shape) + ", by the keys of the file");
}

/// Lists the tensors that a file must have, and refuses others.
class Requirements {
public:
    Requirements(const Source& file, const Shape& shape, const Architecture& architecture)
        : file_(file), s_(shape), architecture_(architecture) {}

    void check() {
        matrix(std::string(embedding_name), s_.vocabulary, s_.width);
        if (architecture_.embedding_norm) norm("token_embd_norm.weight", s_.width);
        if (architecture_.scheme == "learned-absolute") matrix(std::string(positions_name), s_.context, s_.width);
        norm("output_norm.weight", s_.width);
        if (!s_.tied) matrix(std::string(head_name), s_.vocabulary, s_.width);
        for (std::size_t layer = 0; layer < s_.layers; ++layer) check_layer(layer);
        // An unused tensor would silently be left out of the computation.
        for (const tensor::GgufTensor& each : file_.tensors()) {
            if (used_.contains(each.name)) continue;
            refuse(file_,
                   "tensor '" + core::printable_line(core::shortened(file_.shown(each.name))) + "' is not supported",
                   fmt::format("the tensors of '{}' by the keys of the file, one MLP a layer", architecture_.name));
        }
    }

private:
    void check_layer(std::size_t layer) {
        const auto name = [layer](std::string_view part) { return layer_name(layer, part); };
        const std::size_t queries = s_.heads * s_.head_dim;
        const std::size_t keys = s_.key_heads * s_.head_dim;
        norm(name("attn_norm"), s_.width);
        if (architecture_.fused) {
            matrix(name("attn_qkv"), queries + 2 * keys, s_.width);
        } else {
            matrix(name("attn_q"), queries, s_.width);
            matrix(name("attn_k"), keys, s_.width);
            matrix(name("attn_v"), keys, s_.width);
        }
        if (architecture_.head_norms) {
            norm(name("attn_q_norm"), s_.head_dim);
            norm(name("attn_k_norm"), s_.head_dim);
        }
        matrix(name("attn_output"), s_.width, queries);
        if (!architecture_.shared_norm)
            norm(name("ffn_norm"), s_.width);
        else if (file_.find(name("attn_norm_2")) != nullptr)
            norm(name("attn_norm_2"), s_.width);
        if (architecture_.post_norms) {
            norm(name("post_attention_norm"), s_.width);
            norm(name("post_ffw_norm"), s_.width);
        }
        if (architecture_.is_gated()) matrix(name("ffn_gate"), s_.ffn, s_.width);
        matrix(name("ffn_up"), s_.ffn, s_.width);
        matrix(name("ffn_down"), s_.width, s_.ffn);
    }

    void matrix(const std::string& name, std::size_t rows, std::size_t columns) {
        require(name, {rows, columns});
        bias(name, rows, architecture_.biases && name.starts_with("blk."));
    }
    void norm(const std::string& name, std::size_t width) {
        require(name, {width});
        if (architecture_.layer_norms) bias(name, width, architecture_.biases || architecture_.norm_biases);
    }
    /// A bias is needed if the source or the architecture says so, and refused as unused if the source says that there
    /// is none.
    void bias(const std::string& weight, std::size_t rows, bool is_needed) {
        const std::string whole = weight.substr(0, weight.rfind('.'));
        const std::string part = whole.starts_with("blk.") ? whole.substr(whole.find('.', 4) + 1) : whole;
        const bool is_input = part == "attn_q" || part == "attn_k" || part == "attn_v";
        const std::optional<bool> declared = file_.has_biases(part);
        if (declared == false) return;
        is_needed = declared.value_or(is_needed || (is_input && architecture_.input_biases));
        if (is_needed || file_.find(bias_name(weight)) != nullptr) require(bias_name(weight), {rows});
    }
    void require(std::string name, const std::vector<std::size_t>& shape) {
        require_tensor(file_, name, shape);
        used_.insert(std::move(name));
    }

    const Source& file_;
    const Shape& s_;
    const Architecture& architecture_;
    std::set<std::string, std::less<>> used_ = {std::string(frequencies_name)};
};

/// Throws for heads, values, experts and limits that the model cannot have or that are not supported.
void refuse_unsupported(const Source& file, const Keys& keys, const Architecture& architecture, const Shape& shape) {
    if (shape.heads % shape.key_heads != 0)
        refuse(file, fmt::format("{} query heads share {} key heads", shape.heads, shape.key_heads),
               "a multiple of the key heads");
    if (shape.rotated > shape.head_dim || shape.rotated % 2 != 0)
        refuse(file, fmt::format("{} columns of a head of {} are rotated", shape.rotated, shape.head_dim),
               "an even number, at most the head's width");
    if (keys.count("attention.value_length", shape.head_dim) != shape.head_dim)
        refuse(file, "values are not as wide as keys", "equal attention.key_length and attention.value_length");
    if (const auto experts = keys.number("expert_count"); experts && *experts != 0)
        refuse(file, fmt::format("a mixture of {} experts is not supported", *experts), "one MLP a layer");
    for (const auto& [key, only] : {std::pair("attention.clamp_kqv", 0.0),
                                    {"attention.max_alibi_bias", 8.0},
                                    {"attn_logit_softcapping", 0.0},
                                    {"final_logit_softcapping", 0.0}}) {
        const bool is_known = architecture.capped && std::string_view(key).ends_with("softcapping");
        const std::optional<double> value = is_known ? std::nullopt : keys.number(key);
        if (value && *value != only)
            refuse(file, fmt::format("'{}' is {}, which is not supported", keys.shown(key), *value),
                   fmt::format("{}", only));
    }
}

}  // namespace

void refuse(const Source& file, std::string found, std::string wanted, std::string hint) {
    core::Place place;
    place.file = file.path();
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

std::string layer_name(std::size_t layer, std::string_view part) {
    return fmt::format("blk.{}.{}.weight", layer, part);
}

std::string bias_name(std::string_view weight) {
    return std::string(weight.substr(0, weight.rfind('.'))) + ".bias";
}

MatrixRows rows_of(const Checkpoint& checkpoint, std::size_t layer, std::string_view part) {
    const Shape& s = checkpoint.shape();
    const std::size_t queries = s.heads * s.head_dim;
    const std::size_t keys = s.key_heads * s.head_dim;
    if (checkpoint.architecture().fused) {
        const std::string all = layer_name(layer, "attn_qkv");
        if (part == "attn_q") return {all, 0, queries};
        if (part == "attn_k") return {all, queries, keys};
        if (part == "attn_v") return {all, queries + keys, keys};
    }
    const std::string name = layer_name(layer, part);
    return {name, 0, static_cast<std::size_t>(checkpoint.file().find(name)->shape.front())};
}

Checkpoint::Checkpoint(const std::string& path) : file_(open_source(path)) {
    architecture_ = &architecture_of(*file_);
    const Keys keys(*file_, std::string(architecture_->name));
    shape_.architecture = architecture_->name;
    shape_.pairs = file_->pairs(*architecture_);
    shape_.parallel = architecture_->parallel && keys.truth("use_parallel_residual", true);
    shape_.layers = keys.count("block_count");
    shape_.heads = keys.count("attention.head_count");
    shape_.key_heads = keys.count("attention.head_count_kv", shape_.heads);
    shape_.width = keys.count("embedding_length");
    shape_.ffn = keys.count("feed_forward_length");
    shape_.context = keys.count("context_length");
    shape_.head_dim = keys.count("attention.key_length", std::max<std::size_t>(1, shape_.width / shape_.heads));
    shape_.rotated = keys.count("rope.dimension_count", shape_.head_dim);
    shape_.epsilon =
        keys.positive(architecture_->layer_norms ? "attention.layer_norm_epsilon" : "attention.layer_norm_rms_epsilon");
    shape_.window = keys.count("attention.sliding_window", 0);
    shape_.base = keys.positive("rope.freq_base", 10000.0);
    if (architecture_->global_each > 0) {
        shape_.window = keys.count("attention.sliding_window");
        shape_.global_each = keys.count("attention.sliding_window_pattern", architecture_->global_each);
        const double usual = architecture_->local_base > 0 ? architecture_->local_base : shape_.base;
        shape_.local_base = keys.positive("rope.freq_base_swa", usual);
        const double divided = shape_.layers == architecture_->divided_by_width
                                   ? static_cast<double>(shape_.width) / static_cast<double>(shape_.heads)
                                   : static_cast<double>(shape_.head_dim);
        shape_.logit_scale =
            keys.positive("attention.scale", 1 / std::sqrt(divided)) * std::sqrt(static_cast<double>(shape_.head_dim));
    }
    if (architecture_->capped) {
        // The defaults of missing keys.
        shape_.attention_cap = keys.number("attn_logit_softcapping").value_or(50);
        shape_.logit_cap = keys.number("final_logit_softcapping").value_or(30);
        if (shape_.attention_cap < 0 || shape_.logit_cap < 0)
            refuse(*file_, fmt::format("caps of {} and {}", shape_.attention_cap, shape_.logit_cap),
                   "numbers above 0, or 0 without a cap");
    }
    shape_.tied = file_->find(head_name) == nullptr;
    refuse_unsupported(*file_, keys, *architecture_, shape_);
    const tensor::GgufTensor* const embedding = file_->find(embedding_name);
    if (embedding == nullptr || embedding->shape.size() != 2)
        refuse(*file_, "tensor '" + file_->shown(embedding_name) + "' is missing or has not two axes",
               "one of shape [vocabulary, embedding_length]");
    shape_.vocabulary = embedding->shape.front();
    if (const auto declared = keys.number("declared_vocab_size");
        declared && *declared != static_cast<double>(shape_.vocabulary))
        refuse(*file_,
               fmt::format("'{}' is {}, and tensor '{}' has {} rows", keys.shown("declared_vocab_size"), *declared,
                           file_->shown(embedding_name), shape_.vocabulary),
               "equal numbers");
    Requirements(*file_, shape_, *architecture_).check();
}

std::size_t Checkpoint::parameters() const {
    std::size_t total = 0;
    for (const tensor::GgufTensor& each : file_->tensors()) {
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

const std::string& Checkpoint::path() const {
    return file_->path();
}

std::string Checkpoint::identity() const {
    return file_->identity();
}

}  // namespace farfield::checkpoint
