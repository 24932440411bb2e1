// Applies the rule of a scaling type to a kind of layer.
#include "doctor/layer_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

#include "doctor/schemes.hpp"

namespace farfield::doctor {

namespace {

using evaluate::Environment;

const std::vector<std::string> head_size_keys = {"num_attention_heads", "n_head", "n_heads", "num_heads"};

/// The decimal text of a param.
std::string decimal(double value) {
    return fmt::format("{}", value);
}

}  // namespace

const TypeRule* LayerReader::unknown_type() {
    Found type = lookup_.first({layer_.scaling_path + "/rope_type", layer_.scaling_path + "/type"});
    if (shared_.engine.refuses_unknown_type)
        shared_.result.refusal = fmt::format("the scaling type '{}' is unknown", layer_.type);
    if (shared_.is_declared) {
        std::vector<std::string> known;
        known.reserve(shared_.engine.types.size());
        for (const TypeRule& each : shared_.engine.types) known.push_back(each.name);
        lookup_.add(lookup_.finding(
            "unknown-scaling-type", Severity::error, type,
            fmt::format("the scaling type '{}' is unknown: readers refuse it, or scale nothing without a word.",
                        layer_.type),
            core::known_here(layer_.type, known)));
        layer_.type = "default";
    }
    return shared_.engine.refuses_unknown_type && !shared_.is_declared ? nullptr : shared_.engine.find("default");
}

void LayerReader::put_key(Environment& environment, const TypeRule& rule, const std::string& key) {
    const bool is_read = !layer_.scaling_path.empty() && rule.reads_for(key, shared_.model.name);
    const Found found = is_read ? lookup_.find(layer_.scaling_path + "/" + key) : Found{};
    std::optional<double> value;
    const bool is_flag = key == "truncate" || key == "mrope_interleaved" || key == "interleaved";
    if (key == "short_factor" || key == "long_factor" || key == "mrope_section") {
        environment.values["has_" + key] = lookup_.list(found) ? 1 : 0;
        environment.values[key] = 0;
        if (key == "mrope_section" && environment.values["has_" + key] == 1) check_sections(found);
        return;
    }
    if (found && is_flag && !found.value().is(Value::Kind::number)) {
        if (const std::optional<bool> flag = lookup_.boolean(found)) value = *flag ? 1 : 0;
    } else if (key == "mscale" || key == "mscale_all_dim" || is_flag)
        value = lookup_.number(found, 0, false);
    else
        value = lookup_.number(found, 0);
    environment.values["has_" + key] = value ? 1 : 0;
    if (value) {
        found_[key] = found;
        if (key == "factor" && *value < 1 && shared_.is_declared)
            lookup_.add(
                lookup_.finding("out-of-range", Severity::warning, found,
                                fmt::format("'{}' is {}: a factor below 1 shortens the context.", found.path, *value),
                                "write by how much the context grows, such as 4"));
    } else {
        for (const auto& [name, fallback] : rule.defaults)
            if (name == key) value = fallback;
    }
    environment.values[key] = value.value_or(0);
}

void LayerReader::check_sections(const Found& sections) {
    if (!shared_.is_declared) return;
    double sum = 0;
    for (const Value& each : sections.value().items) {
        if (!each.is(Value::Kind::number)) {
            lookup_.add(lookup_.finding("wrong-type", Severity::error, sections,
                                        fmt::format("'{}' has {}, not a number.", sections.path, each.kind_name()),
                                        "write the number of pairs for each axis"));
            return;
        }
        sum += each.number;
    }
    lookup_.used().push_back(sections.path);
    const std::int64_t pairs = rotated_ / 2;
    if (sum != static_cast<double>(pairs))
        lookup_.add(lookup_.finding("factors-of-wrong-length", Severity::error, sections,
                                    fmt::format("'{}' divides {} pairs of dimensions among its axes, and {} pairs are "
                                                "rotated.",
                                                sections.path, sum, pairs),
                                    fmt::format("write numbers with the sum {}", pairs)));
}

evaluate::Environment LayerReader::environment_of(const TypeRule& rule) {
    Environment environment;
    auto& values = environment.values;
    values["pi"] = M_PI;
    values["base"] = layer_.base;
    values["d"] = static_cast<double>(rotated_);
    values["fraction"] = fraction_;
    values["has_latent"] = has_latent_ ? 1 : 0;
    values["served"] = static_cast<double>(shared_.options.served.value_or(shared_.result.max_positions.value_or(0)));
    values["trained"] = static_cast<double>(shared_.result.max_positions.value_or(0));
    for (const std::string& key : rule.reads) put_key(environment, rule, key);
    const Found original = lookup_.first(at_layer(shared_.engine.original));
    const bool reads_original =
        std::find(rule.reads.begin(), rule.reads.end(), "original_max_position_embeddings") != rule.reads.end();
    std::optional<long long> length;
    if (reads_original) length = lookup_.integer(original);
    if (length) found_["original"] = original;
    if (const double* fallback = shared_.fallback("original_max_position_embeddings");
        fallback && !length && reads_original)
        length = static_cast<long long>(*fallback);
    values["has_original"] = length ? 1 : 0;
    if (!length && reads_original) length = shared_.result.max_positions;
    values["original"] = static_cast<double>(length.value_or(0));
    if (values["has_original"] == 1) shared_.result.original = length;
    return environment;
}

bool LayerReader::lacks(const TypeRule& rule, const Environment& environment) {
    bool is_lacking = false;
    for (const std::string& key : rule.needs) {
        const bool is_there =
            key == "original" ? environment.values.at("has_original") == 1
                              : environment.values.contains("has_" + key) && environment.values.at("has_" + key) == 1;
        if (is_there) continue;
        const std::string name = key == "original" ? "original_max_position_embeddings" : key;
        const Found scaling = lookup_.find(layer_.scaling_path);
        // An invalid value has a finding of its own.
        const bool is_invalid = key == "original" ? bool(lookup_.first(at_layer(shared_.engine.original)))
                                                  : bool(lookup_.find(layer_.scaling_path + "/" + key));
        if (is_invalid) {
            if (key == "original" && shared_.result.max_positions) continue;
            shared_.result.refusal = fmt::format("'{}' has an invalid '{}'", scaling.path, name);
            is_lacking = true;
            continue;
        }
        if (key == "original" && shared_.result.max_positions) {
            lookup_.add(lookup_.finding(
                "original-length-absent", Severity::warning, scaling,
                fmt::format("'{}' has no 'original_max_position_embeddings': readers take "
                            "'max_position_embeddings', {}, or refuse. If that is the extended length, the wrong "
                            "pairs are scaled.",
                            scaling.path, *shared_.result.max_positions),
                "write \"original_max_position_embeddings\" in it"));
            continue;
        }
        lookup_.add(lookup_.finding(
            "missing-key", Severity::error, scaling,
            fmt::format("'{}' is of type '{}' and lacks '{}': readers refuse it.", scaling.path, layer_.type, name),
            fmt::format("write \"{}\"", name)));
        shared_.result.refusal = fmt::format("'{}' lacks '{}'", scaling.path, name);
        is_lacking = true;
    }
    return is_lacking;
}

bool LayerReader::read_tables() {
    bool is_good = true;
    for (const char* key : {"short_factor", "long_factor"}) {
        const Found found = lookup_.find(layer_.scaling_path + "/" + key);
        std::vector<double> table(static_cast<std::size_t>(rotated_ / 2), 1.0);
        if (found && found.value().is(Value::Kind::list)) {
            lookup_.used().push_back(found.path);
            const auto& items = found.value().items;
            if (items.size() != table.size()) {
                lookup_.add(lookup_.finding("factors-of-wrong-length", Severity::error, found,
                                            fmt::format("'{}' has {} numbers for {} pairs of dimensions.", found.path,
                                                        items.size(), table.size()),
                                            fmt::format("write {} numbers", table.size())));
                is_good = false;
            }
            for (std::size_t i = 0; i < std::min(items.size(), table.size()); ++i) {
                if (items[i].is(Value::Kind::number) && items[i].number > 0) {
                    table[i] = items[i].number;
                    continue;
                }
                lookup_.add(
                    lookup_.finding("wrong-type", Severity::error, found,
                                    fmt::format("number {} of '{}' is {}, not a number above 0.", i + 1, found.path,
                                                items[i].is(Value::Kind::number) ? fmt::format("{}", items[i].number)
                                                                                 : std::string(items[i].kind_name())),
                                    "write a number above 0"));
                is_good = false;
            }
        }
        layer_.context.tables.emplace_back(std::string(key).substr(0, std::string_view(key).find('_')), table);
    }
    return is_good;
}

void LayerReader::apply(const TypeRule& rule) {
    Environment environment = environment_of(rule);
    if (lacks(rule, environment) || (rule.scheme == "rotary-longrope" && !read_tables())) {
        shared_.result.refusal =
            shared_.result.refusal.empty() ? "the scaling is not complete" : shared_.result.refusal;
        return;
    }
    if (rule.name == "yarn" && shared_.is_declared && !lookup_.document().is_gguf &&
        !lookup_.find(layer_.scaling_path + "/factor"))
        lookup_.add(lookup_.finding(
            "default-taken", Severity::warning, lookup_.find(layer_.scaling_path),
            fmt::format("'{}' has no 'factor': the ratio of the lengths, {:.6g}, is taken; transformers 4.44 and vLLM "
                        "refuse it.",
                        layer_.scaling_path, environment.values["trained"] / environment.values["original"]),
            "write \"factor\""));
    const auto low = environment.values.find("low_freq_factor"), high = environment.values.find("high_freq_factor");
    if (rule.scheme == "rotary-llama3" && !(low->second <= high->second))
        lookup_.add(lookup_.finding(
            "out-of-range", Severity::warning, found_["high_freq_factor"],
            fmt::format("'high_freq_factor' is {}, below 'low_freq_factor', {}: pairs between the two are "
                        "scaled the wrong way around.",
                        high->second, low->second),
            "write the values that the model was trained with"));
    for (const auto& [name, formula] : rule.let) environment.values[name] = evaluate::reference(formula, environment);
    std::string scheme = rule.scheme;
    if (scheme == "rotary-yarn" && environment.values.contains("truncate") && environment.values["truncate"] == 0)
        scheme = "rotary-yarn-exact";
    std::vector<std::pair<std::string, std::string>> params;
    params.reserve(rule.params.size());
    for (const auto& [name, formula] : rule.params) {
        const double value = evaluate::reference(formula, environment);
        if (!std::isfinite(value)) {
            shared_.result.refusal = fmt::format("'{}' of the scaling cannot be computed", name);
            return;
        }
        params.emplace_back(name, decimal(value));
        layer_.positions.params.push_back(origin_of(name, formula, value));
        if (name == "factor") layer_.factor = value;
    }
    // The finding above says more.
    if (scheme != "rotary-llama3") check_params(scheme, params);
    if (rule.attention) layer_.positions.attention_factor = evaluate::reference(rule.attention, environment);
    if (rule.softmax) layer_.positions.softmax_factor = evaluate::reference(rule.softmax, environment);
    put_scheme(scheme, params, environment);
}

Param LayerReader::origin_of(const std::string& name, const formula::Node& formula, double value) {
    for (const std::string& each : formula::free_names(formula)) {
        if (each == "base") {
            for (const Param& origin : origins_)
                if (origin.name == "base") return {name, value, origin.from, origin.place};
        }
        const auto found = found_.find(each == "stretch" ? "factor" : each);
        if (found != found_.end()) return {name, value, found->second.path, place_of(found->second)};
    }
    return {name, value, "default", {}};
}

void LayerReader::check_params(const std::string& scheme,
                               const std::vector<std::pair<std::string, std::string>>& params) {
    const auto value_of = [&](std::string_view name) {
        const auto found =
            std::find_if(params.begin(), params.end(), [&](const auto& each) { return each.first == name; });
        return found == params.end() ? std::string() : found->second;
    };
    for (const RefusedParam& refused : refused_params(scheme, params)) {
        // By the pair's index, equal numbers of turns are one step, as in Kimi K2.
        if (refused.name == "beta" && value_of("ramp") == "1" && value_of("alpha") == value_of("beta")) continue;
        for (const Param& param : layer_.positions.params) {
            if (param.name != refused.name) continue;
            const std::string what =
                param.from == "default" ? "the default of '" + param.name + "'" : "'" + param.from + "'";
            const std::string message =
                fmt::format("{} is {}: the scheme '{}' requires {}.", what, param.value, scheme, refused.condition);
            const char* fix = "write the values that the model was trained with";
            const Found found = lookup_.find(param.from);
            lookup_.add(found ? lookup_.finding("out-of-range", Severity::error, found, message, fix)
                              : lookup_.finding("out-of-range", Severity::error, param.from, message, fix));
        }
    }
}

void LayerReader::put_scheme(const std::string& name, const std::vector<std::pair<std::string, std::string>>& params,
                             const Environment& environment) {
    layer_.scheme = scheme_named(name, params, static_cast<std::size_t>(rotated_ / 2));
    Positions& positions = layer_.positions;
    positions.scheme = name;
    positions.rotated = static_cast<int>(rotated_);
    const Found interleave = lookup_.find("rope_interleave");
    const bool is_interleaved = lookup_.boolean(interleave).value_or(shared_.model.interleaved);
    positions.pairs = is_interleaved ? "interleaved" : "halves";
    layer_.scheme.rotate->pairs = is_interleaved ? scheme::Pairs::interleaved : scheme::Pairs::halves;
    // The rotated part is treated as the whole head, because formulas use only its width.
    layer_.context.head_dim = layer_.context.width = static_cast<double>(rotated_);
    const double max_positions = static_cast<double>(shared_.result.max_positions.value_or(0));
    const auto original = environment.values.find("original");
    const bool has_original = environment.values.contains("has_original") && environment.values.at("has_original") == 1;
    layer_.context.train_length = name == "rotary-ntk" || !has_original ? max_positions : original->second;
    if (has_original)
        positions.trained = static_cast<long long>(original->second);
    else
        positions.trained = shared_.result.max_positions;
    positions.formula = formula::print(layer_.scheme.rotate->angle.formula);
}

void LayerReader::read_other(const std::string& position) {
    Positions& positions = layer_.positions;
    std::vector<std::pair<std::string, std::string>> params;
    positions.trained = shared_.result.max_positions;
    layer_.context.heads = std::max(heads_, 1.0);
    layer_.context.head_dim = layer_.context.width = static_cast<double>(std::max<long long>(width_, 2));
    if (position == "alibi") {
        const Found largest = lookup_.first({"alibi_bias_max", "attn_config/alibi_bias_max"});
        const double exponent = lookup_.number(largest, 0, false).value_or(8);
        if (exponent != 8) {
            positions.scheme = "alibi-largest";
            params = {{"largest", fmt::format("{}", exponent)}};
        } else if (shared_.model.scales_alibi) {
            positions.scheme = "alibi-scaled";
        } else {
            positions.scheme = "alibi";
            params = {{"slopes", "1"}};
        }
        if (exponent != 8) positions.params.push_back({"largest", exponent, largest.path, place_of(largest)});
        positions.params.push_back({"heads", heads_, "default", {}});
        if (const Found heads = lookup_.first(head_size_keys))
            positions.params.back() = {"heads", heads_, heads.path, place_of(heads)};
        positions.trained = {};
        if (const Found length = lookup_.first({"seq_length", "max_seq_len", "model_max_length"}))
            positions.trained = lookup_.integer(length);
    } else if (position == "t5") {
        positions.scheme = "t5";
        for (const auto& [name, key] : {std::pair{"buckets", "relative_attention_num_buckets"},
                                        std::pair{"max_distance", "relative_attention_max_distance"}}) {
            const Found found = lookup_.find(key);
            const double fallback = *shared_.fallback(key);  // each model type with these biases has a default
            const double value = static_cast<double>(lookup_.integer(found).value_or(static_cast<long long>(fallback)));
            if (!found) note_default(key, fallback);
            positions.params.push_back({name, value, found ? found.path : "default", place_of(found)});
            params.emplace_back(name, decimal(value));
        }
        check_params(positions.scheme, params);
        positions.trained = {};
        if (const Found length = lookup_.first({"n_positions"})) positions.trained = lookup_.integer(length);
    } else if (position == "learned") {
        positions.scheme = "learned-absolute";
    } else {
        positions.scheme = position == "sinusoidal" ? "sinusoidal" : "nope";
    }
    layer_.scheme = scheme_named(positions.scheme, params, 1);
    if (layer_.scheme.bias) positions.formula = formula::print(layer_.scheme.bias->formula);
    if (position == "learned") {
        layer_.scheme.embed->max_length = shared_.result.max_positions.value_or(0);
        positions.params.push_back(
            {"max_length", static_cast<double>(shared_.result.max_positions.value_or(0)), "default", {}});
        if (const Found length = lookup_.first(length_keys()); length && shared_.result.max_positions_given) {
            positions.params.back().from = length.path;
            positions.params.back().place = place_of(length);
        }
    }
}

}  // namespace farfield::doctor
