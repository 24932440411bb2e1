#include "doctor/resolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

/// The kind of position information in the model.
std::string position_of(Shared& shared) {
    Lookup& lookup = shared.lookup;
    std::string position = shared.model.position;
    if (const auto is_alibi = lookup.boolean(lookup.first({"alibi", "attn_config/alibi", "use_alibi"})))
        position = *is_alibi ? "alibi" : position;
    else if (const Found attention = lookup.find("attn_config"); attention && shared.is_declared)
        lookup.add(lookup.finding("default-taken", Severity::note, attention,
                                  fmt::format("'{}/alibi' is not given: there are no ALiBi biases.", attention.path),
                                  "write \"alibi\": true in it if the model was trained with them"));
    if (lookup.boolean(lookup.find("attn_config/rope")) == true) position = "rotary";
    if (const Found type = lookup.first({"position_embedding_type", "positional_embedding"})) {
        const std::string name = lookup.text(type).value_or("");
        if (name == "alibi") position = "alibi";
        if (name == "rope" || name == "rotary") position = "rotary";
        if (name == "nope") position = "nope";
        if (name == "absolute" && position == "rotary" && !shared.model.known) position = "learned";
    }
    return position;
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
    if (found) return;
    if (const double* fallback = shared.fallback("max_position_embeddings")) {
        shared.result.max_positions = static_cast<long long>(*fallback);
        if (shared.is_declared && shared.model.position != "t5")
            lookup.add(lookup.finding(
                "default-taken", Severity::note, lookup.prefix() + "max_position_embeddings",
                fmt::format("'max_position_embeddings' is not given: {} is taken, the default of model type '{}'.",
                            *fallback, shared.model.name),
                "write the trained length"));
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
    const ModelType model = load_model_type(name);
    result.model_type = name;
    result.is_known_model = model.known;
    Shared shared{lookup, engine, model, options, result, engine.name == "declared"};
    read_lengths(shared);
    const std::string position = position_of(shared);
    const std::vector<LayerKind> kinds = layer_kinds(lookup, model, result.layer_count, shared.is_declared);
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
