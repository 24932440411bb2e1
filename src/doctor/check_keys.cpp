// Finds keys that are misspelt, unknown at their place, or contradict each other.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>

#include "doctor/check.hpp"
#include "doctor/lookup.hpp"

namespace farfield::doctor {

namespace {

bool holds(const std::vector<std::string>& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Whether the key contains a word about positions.
bool speaks_of_positions(const std::string& key) {
    constexpr std::array<std::string_view, 10> words = {"rope",     "rotary",   "theta", "alibi",    "yarn",
                                                        "head_dim", "position", "ntk",   "longrope", "sliding"};
    constexpr std::array<std::string_view, 5> others = {"vision", "image", "audio", "token", "propert"};
    std::string lower = key;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto has = [&](std::string_view word) { return lower.find(word) != std::string::npos; };
    return std::any_of(words.begin(), words.end(), has) && std::none_of(others.begin(), others.end(), has);
}

class KeyChecker {
public:
    KeyChecker(const Document& document, const Engine& declared, const Resolution& resolution,
               std::vector<Finding>& findings)
        : root_(text_part(document, prefix_)),
          lookup_(document, root_, prefix_),
          declared_(declared),
          resolution_(resolution),
          findings_(findings) {
        for (const TypeRule& rule : declared.types)
            scaling_keys_.insert(scaling_keys_.end(), rule.reads.begin(), rule.reads.end());
        for (const char* key :
             {"rope_type", "type", "rope_theta", "partial_rotary_factor", "original_max_position_embeddings",
              "finetuned", "llama_4_scaling_beta", "alpha", "beta", "rope_ratio"})
            scaling_keys_.emplace_back(key);
    }

    void check() {
        check_root();
        if (!resolution_.is_known_model)
            lookup_.add(lookup_.finding(
                "unknown-model-type", Severity::note, lookup_.find("model_type"),
                "The model type is not known: its defaults, layer types and pairing are taken to be those "
                "of Llama.",
                "write \"model_type\", or give every key that positions depend on"));
        for (const char* key : {"rope_scaling", "rope_parameters"})
            if (const Found scaling = lookup_.find(key); scaling && scaling.value().is(Value::Kind::object))
                check_scaling(scaling, key);
        if (const Found attention = lookup_.find("attn_config");
            attention && !attention.value().is(Value::Kind::object))
            lookup_.add(lookup_.finding(
                "wrong-type", Severity::error, attention,
                fmt::format("'{}' is {}, not an object.", attention.path, attention.value().kind_name()),
                "write an object such as {\"alibi\": true}"));
        check_contradictions();
        findings_.insert(findings_.end(), lookup_.findings().begin(), lookup_.findings().end());
    }

private:
    void check_root() {
        for (const Member& member : root_.members) {
            if (!member.shown.empty() || holds(known_keys(), member.key)) continue;
            const Found found{&member, prefix_ + core::printable_line(member.key)};
            const std::string near = core::suggestion(member.key, known_keys());
            const bool is_doubtful = speaks_of_positions(member.key);
            if (holds(scaling_keys_, member.key) && is_doubtful)
                lookup_.add(lookup_.finding(
                    "misplaced-key", Severity::warning, found,
                    fmt::format("'{}' is outside of the scaling object: readers ignore it.", found.path),
                    "move it into \"rope_scaling\" or \"rope_parameters\""));
            else if (is_doubtful || (!near.empty() && is_position_key(near)))
                lookup_.add(lookup_.finding("unknown-key", Severity::warning, found,
                                            fmt::format("No reader uses the key '{}': it is ignored.", found.path),
                                            near.empty() ? "remove it, or write the key that was meant" : near));
        }
    }

    /// Whether positions depend on the name in a suggestion, unlike a name such as "hidden_size".
    static bool is_position_key(const std::string& suggestion) {
        const std::size_t open = suggestion.find('\'');
        const std::size_t close = suggestion.rfind('\'');
        if (open == std::string::npos || close <= open) return false;
        const std::string name = suggestion.substr(open + 1, close - open - 1);
        return speaks_of_positions(name) || holds(sizes, name);
    }

    void check_scaling(const Found& scaling, const std::string& path) {
        const auto is_layer = [&](const Member& member) {
            return std::any_of(resolution_.layers.begin(), resolution_.layers.end(),
                               [&](const Layer& layer) { return layer.positions.layer_type == member.key; });
        };
        const TypeRule* rule = nullptr;
        for (const Layer& layer : resolution_.layers)
            if (layer.scaling_path == path) rule = declared_.find(layer.type);
        for (const Member& member : scaling.value().members) {
            const Found found{&member, scaling.path + "/" + core::printable_line(member.key)};
            if (member.value.is(Value::Kind::object)) {
                if (is_layer(member) || member.key.ends_with("_attention")) {
                    check_scaling(found, path + "/" + member.key);
                    if (!is_layer(member))
                        lookup_.add(lookup_.finding(
                            "unused-layer-type", Severity::warning, found,
                            fmt::format("'{}' is of a layer type that the model does not have.", found.path),
                            "name a type of 'layer_types'"));
                    continue;
                }
            } else if (is_layer(member) && member.value.is(Value::Kind::null)) {
                continue;
            }
            check_scaling_key(found, member, rule);
        }
    }

    void check_scaling_key(const Found& found, const Member& member, const TypeRule* rule) {
        if (!holds(scaling_keys_, member.key)) {
            const std::string near = core::suggestion(member.key, scaling_keys_);
            lookup_.add(lookup_.finding("unknown-key", Severity::warning, found,
                                        fmt::format("No reader uses the key '{}': it is ignored.", found.path),
                                        near.empty() ? "remove it, or write the key that was meant" : near));
            return;
        }
        static const std::vector<std::string> common = {
            "rope_type", "type", "rope_theta", "partial_rotary_factor", "original_max_position_embeddings",
            "finetuned"};
        if (!rule || holds(rule->reads, member.key) || holds(common, member.key) || member.value.is(Value::Kind::null))
            return;
        lookup_.add(lookup_.finding("key-not-read", Severity::note, found,
                                    fmt::format("'{}' is not read by the scaling type '{}'.", found.path, rule->name),
                                    "remove it, or correct the type"));
    }

    /// Reports two keys with the same meaning and different values.
    void differ(const std::string& first, const std::string& second, const std::string& meaning) {
        const Found a = lookup_.find(first), b = lookup_.find(second);
        if (!a || !b) return;
        const Value& x = a.value();
        const Value& y = b.value();
        const bool are_numbers = x.is(Value::Kind::number) && y.is(Value::Kind::number);
        const bool are_texts = x.is(Value::Kind::text) && y.is(Value::Kind::text);
        if ((are_numbers && x.number != y.number) || (are_texts && x.text != y.text && !same_type(x.text, y.text)))
            lookup_.add(lookup_.finding(
                "contradiction", Severity::warning, b,
                fmt::format("'{}' is {} and '{}' is {}, two values for {}: each reader takes one of them.", a.path,
                            core::shortened(core::printable_line(x.text), 30), b.path,
                            core::shortened(core::printable_line(y.text), 30), meaning),
                "keep one of the keys"));
    }

    bool same_type(const std::string& a, const std::string& b) const {
        const TypeRule* rule = declared_.find(a);
        return rule && rule == declared_.find(b) && a != "default" && b != "default";
    }

    void check_contradictions() {
        differ("rope_theta", "rope_parameters/rope_theta", "the base");
        differ("rope_theta", "rope_scaling/rope_theta", "the base");
        differ("rope_theta", "rope_parameters/full_attention/rope_theta", "the base");
        differ("rotary_emb_base", "rope_theta", "the base");
        differ("rope_base", "rope_theta", "the base");
        differ("n_positions", "max_position_embeddings", "the trained length");
        differ("n_ctx", "n_positions", "the trained length");
        differ("n_head", "num_attention_heads", "the number of heads");
        differ("n_layer", "num_hidden_layers", "the number of layers");
        differ("n_embd", "hidden_size", "the width");
        differ("rope_local_base_freq", "rope_parameters/sliding_attention/rope_theta", "the local base");
        differ("rope_scaling/type", "rope_scaling/rope_type", "the scaling type");
        differ("rope_parameters/type", "rope_parameters/rope_type", "the scaling type");
        differ("partial_rotary_factor", "rope_parameters/partial_rotary_factor", "the rotated fraction");
        differ("partial_rotary_factor", "rotary_pct", "the rotated fraction");
        for (const char* object : {"rope_scaling", "rope_parameters"})
            differ("original_max_position_embeddings", std::string(object) + "/original_max_position_embeddings",
                   "the original length");
        for (const char* key : {"rope_type", "factor", "original_max_position_embeddings", "beta_fast", "beta_slow",
                                "attention_factor", "low_freq_factor", "high_freq_factor"})
            differ(std::string("rope_scaling/") + key, std::string("rope_parameters/") + key, "the scaling");
    }

    static inline const std::vector<std::string> sizes = {
        "hidden_size",         "d_model",     "n_embd",
        "num_attention_heads", "n_heads",     "n_head",
        "num_hidden_layers",   "n_layers",    "n_layer",
        "n_positions",         "max_seq_len", "rotary_pct",
        "layer_types",         "attn_config", "original_max_position_embeddings"};

    std::string prefix_;
    const Value& root_;
    Lookup lookup_;
    const Engine& declared_;
    const Resolution& resolution_;
    std::vector<Finding>& findings_;
    std::vector<std::string> scaling_keys_;
};

}  // namespace

void check_keys(const Document& document, const Engine& declared, const Resolution& resolution,
                std::vector<Finding>& findings) {
    KeyChecker(document, declared, resolution, findings).check();
}

}  // namespace farfield::doctor
