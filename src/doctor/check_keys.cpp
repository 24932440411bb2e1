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

bool same(const Value& a, const Value& b) {
    if (a.kind != b.kind || a.number != b.number) return false;
    if (a.is(Value::Kind::text) && a.text != b.text) return false;
    const auto equal = [](const Member& x, const Member& y) { return x.key == y.key && same(x.value, y.value); };
    return std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), same) &&
           std::equal(a.members.begin(), a.members.end(), b.members.begin(), b.members.end(), equal);
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
        : document_(document),
          root_(text_part(document, prefix_)),
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
        for (const auto& [key, near] : document_.unknown_keys)
            lookup_.add(lookup_.finding(
                "unknown-key", Severity::warning, key,
                fmt::format("llama.cpp does not read the key '{}': it is ignored.", core::printable_line(key)),
                near.empty() ? "remove it, or write the key that was meant" : near));
        if (!resolution_.is_known_model)
            lookup_.add(lookup_.finding(
                "unknown-model-type", Severity::note, lookup_.find("model_type"),
                "The model type is not known: its defaults, layer types and pairing are taken to be those "
                "of Llama.",
                lookup_.find("model_type") ? "give every key that positions depend on"
                                           : "write \"model_type\", or give every key that positions depend on"));
        for (const char* key : {"rope_scaling", "rope_parameters"})
            if (const Found scaling = lookup_.find(key); scaling && scaling.value().is(Value::Kind::object))
                check_scaling(scaling, key);
        if (const Found attention = lookup_.find("attn_config");
            attention && !attention.value().is(Value::Kind::object))
            lookup_.add(lookup_.finding(
                "wrong-type", Severity::error, attention,
                fmt::format("'{}' is {}, not an object.", attention.path, attention.value().kind_name()),
                "write an object such as {\"alibi\": true}"));
        check_temperature();
        check_contradictions();
        check_original_length();
        check_beside_text();
        check_unread_rotation();
        findings_.insert(findings_.end(), lookup_.findings().begin(), lookup_.findings().end());
    }

private:
    void check_root() {
        const ModelType model = load_model_type(resolution_.model_type);
        for (const Member& member : root_.members) {
            if (!member.shown.empty() || holds(known_keys(), member.key)) continue;
            // A model type may have a name of its own for its base.
            const auto has_key = [&](const auto& base) { return holds(base.second, member.key); };
            if (std::any_of(model.base.begin(), model.base.end(), has_key)) continue;
            const Found found{&member, prefix_ + core::printable_line(member.key)};
            const std::string near = core::suggestion(member.key, known_keys());
            const bool is_doubtful = speaks_of_positions(member.key);
            if (holds(scaling_keys_, member.key) && !holds(general, member.key))
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
            const Found found{&member, member.shown.empty() ? scaling.path + "/" + core::printable_line(member.key)
                                                            : core::printable_line(member.shown)};
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
        // A copy of the length in the scaling, as in Mistral's files, changes nothing.
        const bool is_copy = member.key == "max_position_embeddings" && member.value.is(Value::Kind::number) &&
                             resolution_.max_positions &&
                             member.value.number == static_cast<double>(*resolution_.max_positions);
        if (is_copy) return;
        if (!holds(scaling_keys_, member.key)) {
            const std::string near = core::suggestion(member.key, scaling_keys_);
            lookup_.add(lookup_.finding("unknown-key", Severity::warning, found,
                                        fmt::format("No reader uses the key '{}': it is ignored.", found.path),
                                        near.empty() ? "remove it, or write the key that was meant" : near));
            return;
        }
        if (member.key == "llama_4_scaling_beta") {
            lookup_.add(lookup_.finding(
                "query-temperature", Severity::note, found,
                fmt::format("'{}' multiplies queries by 1 + beta ln(1 + floor(p/original)) at position p: this factor "
                            "is not described, and logits are given without it.",
                            found.path),
                "keep it if the model was trained with it"));
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

    /// Reports the temperature of Llama 4's layers without rotation.
    void check_temperature() {
        const Found tuning = lookup_.find("attn_temperature_tuning");
        const bool is_bare = std::any_of(resolution_.layers.begin(), resolution_.layers.end(),
                                         [](const Layer& layer) { return layer.positions.scheme == "nope"; });
        if (!tuning || !is_bare || lookup_.boolean(tuning) != true) return;
        lookup_.add(lookup_.finding(
            "query-temperature", Severity::note, tuning,
            fmt::format("'{}' is true: queries of layers without rotation are multiplied by 1 + attn_scale ln(1 + "
                        "floor((p + 1)/floor_scale)) at position p. This factor is not described, and logits are given "
                        "without it.",
                        tuning.path),
            "keep it if the model was trained with it"));
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

    /// Reports a scaling that begins above the length to which it leads.
    void check_original_length() {
        const std::optional<long long>& trained = resolution_.max_positions;
        if (!trained || !resolution_.max_positions_given || !resolution_.original || *resolution_.original <= *trained)
            return;
        const Found original =
            lookup_.first({"rope_scaling/original_max_position_embeddings",
                           "rope_parameters/original_max_position_embeddings", "original_max_position_embeddings"});
        if (original)
            lookup_.add(lookup_.finding(
                "contradiction", Severity::warning, original,
                fmt::format("'{}' is {}, and the model has only {} positions: scaling makes a context longer.",
                            original.path, *resolution_.original, *trained),
                "write the length before the extension in it, and the extended one in \"max_position_embeddings\""));
    }

    /// Reports keys beside the text model of a configuration of several models, which are read inside of it.
    void check_beside_text() {
        if (prefix_.empty()) return;
        const std::string part = prefix_.substr(0, prefix_.size() - 1);
        for (const char* key : {"rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor",
                                "max_position_embeddings", "sliding_window"}) {
            const Member* outer = document_.root.find(key);
            if (!outer || outer->value.is(Value::Kind::null)) continue;
            const Member* inner = root_.find(key);
            if (inner && same(inner->value, outer->value)) continue;
            lookup_.add(lookup_.finding(
                "misplaced-key", Severity::warning, Found{outer, key},
                fmt::format("'{}' is beside '{}', which {}: readers take the text model's keys from there.", key, part,
                            inner ? "has another value" : "does not have it"),
                fmt::format("move it into \"{}\"", part)));
        }
    }

    /// Reports keys of rotations in a configuration without rotations.
    void check_unread_rotation() {
        // A model type that rotates may have no layer that does.
        const auto rotates = [](const Layer& layer) { return layer.base > 0 || layer.positions.scheme == "nope"; };
        if (!resolution_.is_known_model || resolution_.layers.empty() ||
            std::any_of(resolution_.layers.begin(), resolution_.layers.end(), rotates))
            return;
        for (const char* key : {"rope_scaling", "rope_parameters", "rope_theta"})
            if (const Found found = lookup_.find(key))
                lookup_.add(lookup_.finding(
                    "key-not-read", key == std::string_view("rope_theta") ? Severity::note : Severity::warning, found,
                    fmt::format("'{}' is not read: the positions of model type '{}' here are {}, without a rotation.",
                                found.path, resolution_.model_type, resolution_.layers.front().positions.scheme),
                    "remove it, or write the model type that rotates"));
    }

    /// Keys of scaling objects whose names could mean anything outside of them.
    static inline const std::vector<std::string> general = {"type", "alpha", "beta", "finetuned", "truncate"};

    static inline const std::vector<std::string> sizes = {
        "hidden_size",         "d_model",     "n_embd",
        "num_attention_heads", "n_heads",     "n_head",
        "num_hidden_layers",   "n_layers",    "n_layer",
        "n_positions",         "max_seq_len", "rotary_pct",
        "layer_types",         "attn_config", "original_max_position_embeddings"};

    const Document& document_;
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
