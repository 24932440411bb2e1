// Converts config.json to keys of GGUF.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <numbers>
#include <optional>

#include "checkpoint/folder.hpp"

namespace farfield::checkpoint {
namespace {

/// A possible place of a number.
struct Spot {
    const Json* object;  ///< or null
    std::string key;
    std::string shown;
};

struct Given {
    std::string shown;
    double number = 0;
};

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path), root_(read_json(path, most_config_bytes)) {
        if (!root_.is_object()) refuse_file(path, "this is not a configuration", "a JSON object");
    }

    FolderKeys run() {
        keys_.type = &type();
        put(text_value(std::string(keys_.type->architecture)), "general.architecture", "model_type");
        check_only();
        for (const KeyName& each : keys_.type->keys) put_number(each);
        keys_.says_ties = find("tie_word_embeddings") != nullptr;
        keys_.ties_head = truth("tie_word_embeddings", keys_.type->ties_head);
        for (const BiasRule& each : keys_.type->biases)
            keys_.biases.emplace_back(each.part, each.key.empty() ? each.otherwise : truth(each.key, each.otherwise));
        if (const Json* const size = find("vocab_size"))
            put_number("declared_vocab_size", number_of(*size, "vocab_size"), "vocab_size");
        complete();
        return std::move(keys_);
    }

private:
    const ModelType& type() {
        const Json* const name = find("model_type");
        if (name == nullptr || !name->is_string()) refuse_file(path_, "'model_type' is missing", "a text");
        std::vector<std::string> known;
        for (const ModelType& each : model_types()) {
            if (each.name == name->get<std::string>()) return each;
            known.emplace_back(each.name);
        }
        refuse_file(path_, "unknown model_type '" + shown(name->get<std::string>()) + "'", {},
                    core::known_here(name->get<std::string>(), known));
    }

    static std::string shown(const std::string& text) { return core::printable_line(core::shortened(text)); }
    static std::string shown(const Json& value) {
        return shown(value.dump(-1, ' ', false, Json::error_handler_t::replace));
    }

    /// The value of a key, where "a.b" is b of the object a; null if it is missing or null in the file.
    const Json* find(std::string_view key) const { return find_in(root_, key); }
    static const Json* find_in(const Json& object, std::string_view key) {
        const std::size_t dot = key.find('.');
        const auto found = object.find(std::string(key.substr(0, dot)));
        if (found == object.end() || found->is_null()) return nullptr;
        if (dot == std::string_view::npos) return &*found;
        return found->is_object() ? find_in(*found, key.substr(dot + 1)) : nullptr;
    }

    void put(tensor::GgufValue value, std::string gguf, std::string name) {
        keys_.shown.insert_or_assign(gguf, std::move(name));
        keys_.values.insert_or_assign(std::move(gguf), std::move(value));
    }
    void put_number(const std::string& gguf, double number, const std::string& name) {
        put(number_value(number), own(gguf), name);
    }
    std::string own(std::string_view gguf) const { return fmt::format("{}.{}", keys_.type->architecture, gguf); }

    double number_of(const Json& value, std::string_view key) const {
        if (!value.is_number()) refuse_file(path_, fmt::format("'{}' is {}", key, shown(value)), "a number");
        return value.get<double>();
    }

    void put_number(const KeyName& name) {
        std::string_view key = name.name;
        const Json* value = find(key);
        if (value == nullptr && !name.old.empty()) value = find(key = name.old);
        if (value != nullptr)
            put_number(std::string(name.gguf), number_of(*value, key), std::string(key));
        else if (name.required)
            refuse_file(path_, fmt::format("'{}' is missing", name.name), "a number");
    }

    void check_only() {
        if (find("quantization_config") != nullptr)
            refuse_file(path_, "the weights are quantized ('quantization_config')",
                        "weights as floats, or a .gguf file");
        for (const OnlyValue& each : keys_.type->only) {
            const Json* const value = find(each.key);
            if (value == nullptr || std::find(each.values.begin(), each.values.end(), *value) != each.values.end())
                continue;
            std::string wanted = "no such key";
            for (std::size_t i = 0; i < each.values.size(); ++i)
                wanted = (i == 0 ? "" : wanted + " or ") + shown(each.values[i]);
            refuse_file(path_, fmt::format("'{}' is {}, which is not supported", each.key, shown(*value)), wanted);
        }
        const Json* const types = find("layer_types");
        if (types != nullptr && !types->is_array()) refuse_file(path_, "'layer_types' is " + shown(*types), "a list");
        const Json* const layers = find("num_hidden_layers");
        if (types != nullptr && layers != nullptr && layers->is_number() &&
            static_cast<double>(types->size()) != layers->get<double>())
            refuse_file(path_, fmt::format("'layer_types' has {} layers", types->size()),
                        fmt::format("{}, as 'num_hidden_layers' says", layers->get<double>()));
        if (types != nullptr && !has_local_layers())
            for (const Json& layer : *types)
                if (layer != "full_attention")
                    refuse_file(path_, "'layer_types' has " + shown(layer) + ", which is not supported",
                                "\"full_attention\"");
    }

    double given(std::string_view gguf) const { return keys_.values.find(own(gguf))->second.number; }
    bool has(std::string_view gguf) const { return keys_.values.contains(own(gguf)); }

    void complete() {
        const std::string_view architecture = keys_.type->architecture;
        if (architecture == "gpt2" || architecture == "bloom") {
            if (!has("feed_forward_length"))
                put_number("feed_forward_length", 4 * given("embedding_length"), "n_inner");
            // The value in the training of the published models.
            if (!has("context_length")) put_number("context_length", 2048, "seq_length");
            return;
        }
        if (architecture == "mpt") {
            const Json* const ratio = find("expansion_ratio");
            put_number("feed_forward_length",
                       (ratio ? number_of(*ratio, "expansion_ratio") : 4) * given("embedding_length"),
                       "expansion_ratio");
            if (!has("attention.layer_norm_epsilon"))
                put_number("attention.layer_norm_epsilon", 1e-5, "layer_norm_epsilon");
            return;
        }
        // A window of null means none, and a missing key means the default.
        const auto window = root_.find("sliding_window");
        if (keys_.type->window > 0 && (window == root_.end() || !window->is_null()))
            put_number("attention.sliding_window",
                       window == root_.end() ? keys_.type->window : number_of(*window, "sliding_window"),
                       "sliding_window");
        if (architecture == "gptneox") {
            tensor::GgufValue value;
            value.kind = tensor::GgufValue::Kind::boolean;
            value.number = truth("use_parallel_residual", true) ? 1 : 0;
            put(value, own("use_parallel_residual"), "use_parallel_residual");
        }
        if (architecture == "falcon") complete_falcon();
        if (has_local_layers()) read_local_layers();
        if (architecture == "gemma2") read_caps();
        read_rotation();
    }

    bool truth(std::string_view key, bool otherwise) const {
        const Json* const value = find(key);
        if (value == nullptr) return otherwise;
        if (!value->is_boolean()) refuse_file(path_, fmt::format("'{}' is {}", key, shown(*value)), "true or false");
        return value->get<bool>();
    }

    /// The number of key heads is given in one of three ways.
    void complete_falcon() {
        const bool is_new = truth("new_decoder_architecture", false);
        const Json* const norms = find("num_ln_in_parallel_attn");
        const double norm_count = norms ? number_of(*norms, "num_ln_in_parallel_attn") : 2;
        if (norm_count != 1 && norm_count != 2)
            refuse_file(path_, fmt::format("'num_ln_in_parallel_attn' is {}", norm_count), "1 or 2");
        keys_.has_two_norms = is_new && norm_count == 2;
        if (is_new)
            put_number({"attention.head_count_kv", "num_kv_heads", false, "n_head_kv"});
        else if (truth("multi_query", true))
            put_number("attention.head_count_kv", 1, "multi_query");
        if (!has("feed_forward_length"))
            put_number("feed_forward_length", 4 * given("embedding_length"), "ffn_hidden_size");
        if (!has("context_length")) put_number("context_length", 2048, "max_position_embeddings");
    }

    bool has_local_layers() const {
        return keys_.type->architecture == "gemma2" || keys_.type->architecture == "gemma3";
    }

    /// Null means no cap, and a missing key means the default.
    void read_caps() {
        for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping"}) {
            const auto found = root_.find(key);
            if (found != root_.end()) put_number(key, found->is_null() ? 0 : number_of(*found, key), key);
        }
    }

    /// Layers with a window, which in Gemma 3 have their own base; every n-th layer has neither.
    void read_local_layers() {
        if (const Json* const window = find("sliding_window"))
            put_number("attention.sliding_window", number_of(*window, "sliding_window"), "sliding_window");
        const Json* const divided = find("query_pre_attn_scalar");
        const double by = divided ? number_of(*divided, "query_pre_attn_scalar") : 256;  // transformers' default
        if (!(by > 0)) refuse_file(path_, fmt::format("'query_pre_attn_scalar' is {}", by), "a number above 0");
        put_number("attention.scale", 1 / std::sqrt(by), "query_pre_attn_scalar");
        const Json* const each = find("sliding_window_pattern");
        double pattern = each                                   ? number_of(*each, "sliding_window_pattern")
                         : keys_.type->architecture == "gemma2" ? 2
                                                                : 6;
        if (const Json* const types = find("layer_types")) {
            const auto first = std::find(types->begin(), types->end(), Json("full_attention"));
            pattern = static_cast<double>(first - types->begin()) + 1;
            for (std::size_t i = 0; i < types->size(); ++i) {
                const bool is_global = (i + 1) % static_cast<std::size_t>(pattern) == 0;
                if ((*types)[i] != (is_global ? "full_attention" : "sliding_attention"))
                    refuse_file(path_, fmt::format("'layer_types' has {} as layer {}", shown((*types)[i]), i),
                                "\"full_attention\" each so many layers, and \"sliding_attention\" between");
            }
        }
        put_number("attention.sliding_window_pattern", pattern, "layer_types");
    }

    /// The number that may be at several places; refuses two different ones.
    std::optional<Given> one_of(const std::vector<Spot>& spots) const {
        std::optional<Given> found;
        for (const Spot& spot : spots) {
            const Json* const value = spot.object ? find_in(*spot.object, spot.key) : nullptr;
            if (value == nullptr) continue;
            const Given here{spot.shown, number_of(*value, spot.shown)};
            if (found && found->number != here.number)
                refuse_file(
                    path_,
                    fmt::format("'{}' is {}, and '{}' is {}", found->shown, found->number, here.shown, here.number),
                    "equal numbers, or one of them");
            if (!found) found = here;
        }
        return found;
    }

    void read_rotation() {
        const Json* parameters = find("rope_parameters");
        const Json* const scaling = find("rope_scaling");
        std::string of = parameters ? "rope_parameters." : "rope_scaling.";
        const Json* local = nullptr;
        if (keys_.type->architecture == "gemma3" && parameters && parameters->is_object()) {
            local = find("rope_parameters.sliding_attention");
            if (const Json* const global = find("rope_parameters.full_attention")) {
                parameters = global;
                of += "full_attention.";
            }
            if (const Json* const type = local ? find_in(*local, "rope_type") : nullptr; type && *type != "default")
                refuse_file(path_, "'rope_parameters.sliding_attention.rope_type' is " + shown(*type), "\"default\"");
        }
        for (const auto& [object, key] : {std::pair(parameters, "rope_parameters"), std::pair(scaling, "rope_scaling")})
            if (object != nullptr && !object->is_object())
                refuse_file(path_, fmt::format("'{}' is {}", key, shown(*object)), "an object");
        if (parameters && scaling && *parameters != *scaling)
            refuse_file(path_, "'rope_parameters' and 'rope_scaling' differ", "one of them");
        const Json* const rope = parameters ? parameters : scaling;
        if (rope)
            for (const auto& [key, value] : rope->items())
                if (value.is_object())
                    refuse_file(path_, "'" + of + shown(key) + "' is an object, which is not supported",
                                "one rotation for all layers");
        if (const auto base = one_of({{rope, "rope_theta", of + "rope_theta"},
                                      {&root_, "rope_theta", "rope_theta"},
                                      {&root_, "rotary_emb_base", "rotary_emb_base"}}))
            put_number("rope.freq_base", base->number, base->shown);
        else if (keys_.type->architecture == "gemma3")
            put_number("rope.freq_base", 1e6, "rope_theta");
        if (const auto base = one_of({{local, "rope_theta", "rope_parameters.sliding_attention.rope_theta"},
                                      {&root_, "rope_local_base_freq", "rope_local_base_freq"}}))
            put_number("rope.freq_base_swa", base->number, base->shown);
        const double dim = has("attention.key_length")
                               ? given("attention.key_length")
                               : std::floor(given("embedding_length") / given("attention.head_count"));
        const bool is_partial = keys_.type->architecture == "gptneox";
        if (const auto share = one_of({{rope, "partial_rotary_factor", of + "partial_rotary_factor"},
                                       {&root_, "partial_rotary_factor", "partial_rotary_factor"},
                                       {&root_, "rotary_pct", "rotary_pct"}})) {
            if (!is_partial && share->number != 1)
                refuse_file(path_, fmt::format("'{}' is {}, which is not supported", share->shown, share->number), "1");
            put_number("rope.dimension_count", std::floor(dim * share->number), share->shown);
        } else if (is_partial)
            put_number("rope.dimension_count", std::floor(dim / 4), "rotary_pct");
        if (rope) read_scaling(*rope, of, has("rope.dimension_count") ? given("rope.dimension_count") : dim);
    }

    void read_scaling(const Json& rope, const std::string& of, double rotated) {
        const Json* type = find_in(rope, "rope_type");
        if (type == nullptr) type = find_in(rope, "type");
        if (type == nullptr && find_in(rope, "factor") != nullptr)
            refuse_file(path_, "'" + of + "rope_type' is missing beside a factor", "a type such as \"linear\"");
        const Json* const older = find_in(rope, "type");
        if (type != nullptr && older != nullptr && *type != *older)
            refuse_file(path_,
                        "'" + of + "rope_type' is " + shown(*type) + ", and '" + of + "type' is " + shown(*older),
                        "equal types, or one of them");
        if (type == nullptr || *type == "default") return;
        if (!type->is_string()) refuse_file(path_, "'" + of + "rope_type' is " + shown(*type), "a text");
        const auto number = [&](const std::string& key, std::optional<double> otherwise) {
            const Json* const value = find_in(rope, key);
            if (value == nullptr && !otherwise) refuse_file(path_, "'" + of + key + "' is missing", "a number");
            return value ? number_of(*value, of + key) : *otherwise;
        };
        const double context = given("context_length");
        // A scheme that replaces the model's may need the length from which it was extended.
        if (const auto original =
                one_of({{&rope, "original_max_position_embeddings", of + "original_max_position_embeddings"},
                        {&root_, "original_max_position_embeddings", "original_max_position_embeddings"}}))
            put_number("rope.scaling.original_context_length", original->number, original->shown);
        if (*type == "llama3") {
            read_divisors(number("factor", {}), number("low_freq_factor", {}), number("high_freq_factor", {}),
                          number("original_max_position_embeddings", context), rotated);
            return;
        }
        std::string name = type->get<std::string>();
        if (name == "linear") put_number("rope.scaling.factor", number("factor", {}), of + "factor");
        if (name == "yarn") {
            const double original = number("original_max_position_embeddings", context);
            const double factor = number("factor", context / original);
            put_number("rope.scaling.factor", factor, of + "factor");
            put_number("rope.scaling.original_context_length", original, of + "original_max_position_embeddings");
            put_number("rope.scaling.yarn_beta_fast", number("beta_fast", 32), of + "beta_fast");
            put_number("rope.scaling.yarn_beta_slow", number("beta_slow", 1), of + "beta_slow");
            const auto scale = [factor](double by) { return factor > 1 ? 0.1 * by * std::log(factor) + 1 : 1; };
            const double mscale = number("mscale", 0);
            const double of_all = number("mscale_all_dim", 0);
            const double own_factor = mscale != 0 && of_all != 0 ? scale(mscale) / scale(of_all) : scale(1);
            const double relative = number("attention_factor", own_factor) / scale(1);
            // The decimal of the default factor may be rounded.
            if (std::abs(relative - 1) > 1e-6)
                put_number("rope.scaling.attn_factor", relative, of + "attention_factor");
            if (const Json* const cut = find_in(rope, "truncate"); cut != nullptr && *cut != true)
                name = "yarn without truncation";
        }
        put(text_value(std::move(name)), own("rope.scaling.type"), of + "rope_type");
    }

    /// Frequencies that rotate fewer than `low` times in the original length are divided by the factor, those that
    /// rotate more than `high` times are not, and between them the frequency is a mean of both.
    void read_divisors(double factor, double low, double high, double original, double rotated) {
        const double base = has("rope.freq_base") ? given("rope.freq_base") : 10000;
        if (!(factor > 0 && low > 0 && high > low && original > 0 && rotated >= 2 && rotated <= 1 << 20))
            refuse_file(path_, "the rotation of type llama3 has no frequencies",
                        "factor and low_freq_factor above 0, and high_freq_factor above low_freq_factor");
        for (int i = 0; i < rotated / 2; ++i) {
            const double turns = original * std::pow(base, -2 * i / rotated) / (2 * std::numbers::pi);
            const double share = std::clamp((turns - low) / (high - low), 0.0, 1.0);
            keys_.divisors.push_back(static_cast<float>(1 / ((1 - share) / factor + share)));
        }
    }

    const std::string& path_;
    Json root_;
    FolderKeys keys_;
};

}  // namespace

FolderKeys read_folder_keys(const std::string& path) {
    try {
        return Reader(path).run();
    } catch (const Json::exception& error) {
        refuse_file(path, std::string("this is not a configuration: ") + error.what(), "a configuration");
    }
}

}  // namespace farfield::checkpoint
