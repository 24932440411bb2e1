#include "doctor/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>

#include "doctor/layer_reader.hpp"
#include "doctor/layers.hpp"
#include "doctor/lookup.hpp"

namespace farfield::doctor {

const std::vector<std::string>& length_keys() {
    static const std::vector<std::string> keys = {"max_position_embeddings", "n_positions", "max_seq_len",
                                                  "max_sequence_length",     "seq_length",  "n_ctx"};
    return keys;
}

namespace {

/// Whether the configuration asks for ALiBi by a key that its model type reads. A model type that is not known, and
/// llama.cpp, may read any.
bool asks_for_alibi(Shared& shared) {
    Lookup& lookup = shared.lookup;
    const bool reads_any = !shared.model.known || lookup.document().is_gguf;
    bool asks = shared.model.has_alibi && !lookup.document().is_gguf;
    for (const char* key : {"use_alibi", "attn_config/alibi", "alibi"}) {
        const Found found = lookup.find(key);
        if (!found) continue;
        if (reads_any || shared.model.alibi == key) {
            asks = lookup.boolean(found).value_or(asks);
        } else if (found.value().is(Value::Kind::boolean) && found.value().number != 0 &&
                   shared.model.position != "alibi" && shared.is_declared) {
            lookup.add(lookup.finding(
                "key-not-read", Severity::warning, found,
                fmt::format("'{}' is true, and model type '{}' does not read it: there are no ALiBi biases.",
                            found.path, shared.model.name),
                "remove it, or write the model type that has these biases"));
        }
    }
    return asks;
}

/// Whether the model is wider than those of its type that rotate.
bool is_wider(Lookup& lookup, const ModelType& model) {
    if (model.rotary_width == 0) return false;
    const Found size = lookup.find("hidden_size");
    const std::optional<long long> width = lookup.integer(size);
    return width && *width != model.rotary_width;
}

/// Reads the name of the kind of positions, which a few model types have.
void read_position_type(Shared& shared, std::string& position) {
    Lookup& lookup = shared.lookup;
    const Found type = lookup.first({"position_embedding_type", "positional_embedding"});
    if (!type) return;
    const std::string name = lookup.text(type).value_or("absolute");
    if (name == "alibi" || name == "nope") {
        position = name;
    } else if (name == "rope" || name == "rotary" || name == "rope_gptj") {
        position = "rotary";
    } else if (name == "absolute" || name.starts_with("learned")) {
        if (position == "rotary" && !shared.model.known) position = "learned";
    } else if (name.starts_with("sin")) {
        position = "sinusoidal";
    } else if (shared.is_declared && name.starts_with("relative_key")) {
        lookup.add(lookup.finding(
            "unknown-position-type", Severity::warning, type,
            fmt::format("'{}' is '{}': transformers 4 adds learned vectors of distances to the logits in place of a "
                        "table of positions, and transformers 5 ignores the key. The table alone is described.",
                        type.path, name),
            "use the engine that the model was trained with"));
    } else if (shared.is_declared) {
        lookup.add(lookup.finding("unknown-position-type", Severity::warning, type,
                                  fmt::format("'{}' is '{}', which is unknown: {} positions are taken.", type.path,
                                              core::shortened(core::printable_line(name), 40), position),
                                  "write \"absolute\", \"rope\", \"alibi\", \"sinusoidal\" or \"nope\""));
    }
}

/// The model type as it applies to this configuration: without a window, some types have layers of one kind.
ModelType applied(ModelType model, const Lookup& lookup) {
    const auto is_given = [&](const auto& size) { return lookup.root().find(size.first) != nullptr; };
    if (std::none_of(model.sizes.begin(), model.sizes.end(), is_given))
        model.defaults.insert(model.defaults.end(), model.sizes.begin(), model.sizes.end());
    if (!model.windowed_only) return model;
    const Member* window = lookup.root().find("sliding_window");
    const double* fallback = model.default_of("sliding_window");
    if (window ? !window->value.is(Value::Kind::null) : fallback && *fallback > 0) return model;
    model.every = 0;
    model.without_rotation.clear();
    return model;
}

/// The kind of position information in the model.
std::string position_of(Shared& shared) {
    Lookup& lookup = shared.lookup;
    std::string position = shared.model.position;
    if (asks_for_alibi(shared) || is_wider(lookup, shared.model)) position = "alibi";
    const bool is_silent = !shared.model.alibi.empty() && shared.is_declared && !lookup.document().is_gguf &&
                           !lookup.find(shared.model.alibi);
    if (is_silent && shared.model.has_alibi && lookup.boolean(lookup.find("attn_config/rope")) != true)
        lookup.add(lookup.finding("default-taken", Severity::note, lookup.prefix() + shared.model.alibi,
                                  fmt::format("'{}' is not given: ALiBi biases are taken, the default of model type "
                                              "'{}' in transformers.",
                                              shared.model.alibi, shared.model.name),
                                  "write whether the model was trained with them"));
    else if (const Found attention = lookup.find("attn_config");
             attention && shared.is_declared && position != "alibi" && !lookup.find("attn_config/alibi"))
        lookup.add(lookup.finding("default-taken", Severity::note, attention,
                                  fmt::format("'{}/alibi' is not given: there are no ALiBi biases.", attention.path),
                                  "write \"alibi\": true in it if the model was trained with them"));
    if (lookup.boolean(lookup.find("attn_config/rope")) == true) position = "rotary";
    read_position_type(shared, position);
    return position;
}

/// Takes off the rows of a table of positions that no token has.
void take_off_reserved(Shared& shared, const Found& length) {
    const std::string& key = shared.model.reserved;
    std::optional<long long>& positions = shared.result.max_positions;
    if (key.empty() || !positions) return;
    Lookup& lookup = shared.lookup;
    const Found token = lookup.find(key);
    const long long reserved = 1 + lookup.integer(token, 0).value_or(static_cast<long long>(*shared.fallback(key)));
    const long long rows = *positions;
    positions = std::max(rows - reserved, 0LL);
    if (length && shared.is_declared)
        lookup.add(lookup.finding("reserved-positions", Severity::note, length,
                                  fmt::format("'{}' is {}: models of type '{}' begin to count after '{}', so that {} "
                                              "tokens have a position.",
                                              length.path, rows, shared.model.name, key, *positions),
                                  fmt::format("serve at most {} tokens", *positions)));
}

void read_lengths(Shared& shared) {
    Lookup& lookup = shared.lookup;
    const Found found = lookup.first(length_keys());
    shared.result.max_positions = lookup.integer(found);
    constexpr long long most_positions = 1LL << 32;
    if (shared.result.max_positions > most_positions) {
        lookup.add(
            lookup.finding("out-of-range", Severity::error, found,
                           fmt::format("'{}' is {}, more than 2^32 tokens.", found.path, *shared.result.max_positions),
                           "write the trained length"));
        shared.result.max_positions.reset();
    }
    shared.result.max_positions_given = shared.result.max_positions.has_value();
    if (found) return take_off_reserved(shared, found);
    if (const double* fallback = shared.fallback("max_position_embeddings")) {
        shared.result.max_positions = static_cast<long long>(*fallback);
        if (shared.is_declared && shared.model.position != "t5")
            lookup.add(lookup.finding(
                "default-taken", Severity::note, lookup.prefix() + "max_position_embeddings",
                fmt::format("'max_position_embeddings' is not given: {} is taken, the default of model type '{}'.",
                            *fallback, shared.model.name),
                "write the trained length"));
        take_off_reserved(shared, found);
    }
}

/// The largest length in the configuration, or that of the options.
std::optional<long long> served_of(const Resolution& result, const Options& options) {
    if (options.served) return options.served;
    long long longest = result.max_positions.value_or(0);
    for (const Layer& layer : result.layers) {
        const bool extends = layer.type == "yarn" && layer.positions.trained && layer.factor > 1;
        if (!extends) continue;
        longest = std::max(longest, std::llround(static_cast<double>(*layer.positions.trained) * layer.factor));
    }
    return longest > 0 ? std::optional(longest) : std::nullopt;
}

}  // namespace

const Value& text_part(const Document& document, std::string& prefix) {
    for (const char* key : {"text_config", "llm_config", "language_config", "thinker_config", "decoder"}) {
        const Member* part = document.root.find(key);
        if (!part || !part->value.is(Value::Kind::object)) continue;
        prefix = std::string(key) + "/";
        if (const Member* inner = part->value.find("text_config"); inner && inner->value.is(Value::Kind::object)) {
            prefix += "text_config/";
            return inner->value;
        }
        return part->value;
    }
    return document.root;
}

Resolution resolve(const Document& document, const Engine& engine, const Options& options) {
    Resolution result;
    std::string prefix;
    const Value& root = text_part(document, prefix);
    Lookup lookup(document, root, prefix);
    std::string name;
    if (const Found type = lookup.find("model_type")) name = lookup.text(type).value_or("");
    if (name.empty())
        if (const Member* type = document.root.find("model_type"); type && type->value.is(Value::Kind::text))
            name = type->value.text;
    const ModelType model = applied(load_model_type(name), lookup);
    result.model_type = name;
    result.is_known_model = model.known;
    Shared shared{lookup, engine, model, options, result, engine.name == "declared"};
    read_lengths(shared);
    const std::string position = position_of(shared);
    const std::vector<LayerKind> kinds =
        layer_kinds(lookup, model, result.layer_count, result.layer_order, shared.is_declared);
    result.layers.reserve(kinds.size());
    for (const LayerKind& kind : kinds) result.layers.push_back(LayerReader(shared, kind).read(position));
    result.served = served_of(result, options);
    for (Layer& layer : result.layers) {
        const double served = static_cast<double>(result.served.value_or(0));
        layer.context.length =
            layer.scheme.name == "rotary-ntk" ? std::max(served, layer.context.train_length) : served;
    }
    result.findings = std::move(lookup.findings());
    result.used = std::move(lookup.used());
    return result;
}

}  // namespace farfield::doctor
