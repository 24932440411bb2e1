// Heads, base, scaling and the rotated width of a kind of layer.
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

const std::vector<std::string> hidden_keys = {"hidden_size", "n_embd", "n_embed", "d_model"};
const std::vector<std::string> head_keys = {"num_attention_heads", "n_head", "n_heads", "num_heads"};

}  // namespace

Layer LayerReader::read(const std::string& position) {
    layer_.positions.layer_type = kind_.type;
    layer_.positions.window = kind_.window;
    layer_.positions.layers = static_cast<int>(kind_.count);
    const bool is_bare = !shared_.model.rotates(kind_.type);
    read_heads();
    if (position == "rotary" && !is_bare)
        read_rotary();
    else
        read_other(is_bare ? "nope" : position);
    return std::move(layer_);
}

void LayerReader::read_heads() {
    std::vector<std::string> keys = {"head_dim", "d_kv", "attention_head_dim", "kv_channels"};
    const Document& document = lookup_.document();
    for (const auto& [type, key] : shared_.model.width)
        if (type == kind_.type) keys = {key};
    const std::string& width_key = keys.front();
    // The shape of one tensor says nothing about heads whose width depends on the layer.
    const long long shape_width = shared_.model.width.empty() ? document.shape_width : 0;
    const Found head_dim = lookup_.first(keys);
    const Found hidden = lookup_.first(hidden_keys);
    const Found heads = lookup_.first(head_keys);
    heads_ = static_cast<double>(lookup_.integer(heads).value_or(0));
    if (heads_ == 0 && shared_.fallback("num_attention_heads")) heads_ = *shared_.fallback("num_attention_heads");
    if (head_dim) {
        width_ = lookup_.integer(head_dim).value_or(0);
    } else if (shape_width > 0) {
        width_ = shape_width;
        if (shared_.is_declared)
            lookup_.add(lookup_.finding("head-dim-of-shapes", Severity::note, lookup_.prefix() + "head_dim",
                                        fmt::format("'head_dim' is not given: {} is taken, by the shape of '{}'.",
                                                    width_, core::printable_line(document.shape_tensor)),
                                        fmt::format("write \"head_dim\": {}", width_)));
    } else if (const double* fallback = shared_.fallback(width_key); fallback && !hidden.member) {
        width_ = static_cast<long long>(*fallback);
    } else if (const double* usual = shared_.fallback("hidden_size");
               usual && !hidden.member && !fallback && heads_ > 0) {
        width_ = divided(static_cast<long long>(*usual), Found{nullptr, lookup_.prefix() + "hidden_size"});
        note_default("hidden_size", *usual);
        if (!heads.member) note_default("num_attention_heads", heads_);
    } else if (const auto size = lookup_.integer(hidden); size && heads_ > 0) {
        if (fallback)
            width_ = static_cast<long long>(*fallback), note_default(width_key, *fallback);
        else
            width_ = divided(*size, hidden);
    }
    layer_.positions.head_dim = static_cast<int>(width_);
    if (shape_width > 0) check_shapes(head_dim);
}

void LayerReader::check_shapes(const Found& head_dim) {
    const Document& document = lookup_.document();
    if (!head_dim || document.shape_width <= 0 || document.shape_width == width_) return;
    lookup_.add(lookup_.finding("head-dim-against-shapes", Severity::error, head_dim,
                                fmt::format("'{}' is {}, and heads of '{}' have {} dimensions.", head_dim.path, width_,
                                            core::printable_line(document.shape_tensor), document.shape_width),
                                fmt::format("write \"head_dim\": {}", document.shape_width)));
}

long long LayerReader::divided(long long size, const Found& hidden) {
    const auto heads = static_cast<long long>(heads_);
    if (size % heads != 0)
        lookup_.add(lookup_.finding("head-dim-not-divisible", Severity::error, hidden,
                                    fmt::format("'{}' is {}, which {} heads do not divide: the width of a head is "
                                                "not a whole number, and readers round it down to {}.",
                                                hidden.path, size, heads, size / heads),
                                    "give 'head_dim', or correct the two numbers"));
    return size / heads;
}

void LayerReader::note_default(const std::string& key, double value) {
    if (!shared_.is_declared) return;
    lookup_.add(
        lookup_.finding("default-taken", Severity::note, lookup_.prefix() + key,
                        fmt::format("'{}' is not given: {} is taken, the default of model type '{}'.", key, value,
                                    shared_.model.known ? shared_.model.name : "(unknown)"),
                        fmt::format("write \"{}\": {} if that is what the model was trained with", key, value)));
}

std::string LayerReader::at_layer(std::string path) const {
    const auto put = [&](std::string_view name, const std::string& value) {
        if (const std::size_t at = path.find(name); at != std::string::npos) path.replace(at, name.size(), value);
    };
    put("{scaling}", layer_.scaling_path.empty() ? "(no scaling)" : layer_.scaling_path);
    put("{layer}", kind_.type.empty() ? "(no layer type)" : kind_.type);
    return path;
}

std::vector<std::string> LayerReader::at_layer(const std::vector<std::string>& paths) const {
    std::vector<std::string> list;
    list.reserve(paths.size());
    for (const std::string& path : paths) list.push_back(at_layer(path));
    return list;
}

core::Place LayerReader::place_of(const Found& found) const {
    return found ? lookup_.document().place(*found.member) : core::Place{};
}

void LayerReader::add_origin(const std::string& name, const Found& found) {
    origins_.push_back({name, 0, found ? found.path : "default", place_of(found)});
}

std::vector<std::string> LayerReader::without_ignored(std::vector<std::string> paths) const {
    if (const ModelGroup* group = shared_.group())
        std::erase_if(paths, [&](const std::string& path) {
            return std::find(group->ignores.begin(), group->ignores.end(), path) != group->ignores.end();
        });
    return paths;
}

void LayerReader::read_base() {
    std::vector<std::string> paths = without_ignored(at_layer(shared_.engine.base));
    double fallback = shared_.fallback("rope_theta") ? *shared_.fallback("rope_theta") : 10000;
    std::string key = "rope_theta";
    for (const auto& [type, keys] : shared_.model.base) {
        if (type != kind_.type) continue;
        // A top-level rope_theta belongs to the other layers.
        std::erase_if(paths, [&](const std::string& path) { return path.find('/') == std::string::npos; });
        paths.insert(paths.end(), keys.begin(), keys.end());
        key = keys.front();
        if (shared_.fallback(key)) fallback = *shared_.fallback(key);
    }
    const Found found = lookup_.first(paths);
    const std::optional<double> given = lookup_.number(found, 1);
    layer_.base = given.value_or(fallback);
    // ChatGLM multiplies its base.
    const Found ratio = shared_.fallback("rope_ratio") ? lookup_.find("rope_ratio") : Found{};
    if (ratio) layer_.base *= lookup_.number(ratio, 0).value_or(1);
    add_origin("base", given ? found : ratio);
    if (!found && !ratio) note_base(key, fallback);
}

void LayerReader::note_base(const std::string& key, double fallback) {
    if (!shared_.is_declared) return;
    constexpr long long longest_of_10000 = 4096;
    const bool is_doubtful = fallback <= 10000 && shared_.result.max_positions.value_or(0) > longest_of_10000 &&
                             shared_.result.max_positions_given && kind_.window == 0;
    Finding finding = lookup_.finding(
        "default-base", is_doubtful ? Severity::warning : Severity::note, lookup_.prefix() + key,
        fmt::format("'{}' is not given: readers take {}{}.", key, fallback,
                    is_doubtful ? fmt::format(", which few models of {} tokens were trained with; with a wrong base "
                                              "every slow pair turns at a wrong speed, and far tokens are lost",
                                              *shared_.result.max_positions)
                                : ""),
        is_doubtful ? fmt::format("write \"{}\" with the base that the model was trained with", key)
                    : fmt::format("write \"{}\": {} if the model was trained with it", key, fallback));
    lookup_.add(std::move(finding));
}

void LayerReader::read_scaling() {
    const auto& unscaled = shared_.model.unscaled;
    const bool is_unscaled = std::find(unscaled.begin(), unscaled.end(), kind_.type) != unscaled.end();
    layer_.type = "default";
    if (!shared_.scales()) return;
    for (const std::string& path : shared_.engine.scaling) {
        const std::string here = at_layer(path);
        // The scaling of one kind of layer may be under its name; otherwise it applies to all layers except these.
        if (is_unscaled && here.find('/') == std::string::npos) continue;
        const Found found = lookup_.find(here);
        if (!found) continue;
        if (!found.value().is(Value::Kind::object)) {
            lookup_.add(
                lookup_.finding("wrong-type", Severity::error, found,
                                fmt::format("'{}' is {}, not an object.", found.path, found.value().kind_name()),
                                "write an object such as {\"rope_type\": \"yarn\", ...}, or null"));
            continue;
        }
        if (holds_layer_types(found.value())) continue;
        layer_.scaling_path = here;
        read_type(found);
        check_group(found);
        return;
    }
    if (!is_unscaled) note_unscaled();
}

void LayerReader::note_unscaled() {
    const std::string& type = shared_.model.scaled;
    if (type.empty() || !shared_.is_declared || lookup_.document().is_gguf) return;
    lookup_.add(lookup_.finding(
        "scaling-not-given", Severity::warning, lookup_.prefix() + "rope_parameters",
        fmt::format("The scaling is not given: transformers takes its own scaling of type '{}' for model type '{}', "
                    "and other readers scale nothing, as described here.",
                    type, shared_.model.name),
        "write \"rope_parameters\" with the scaling that the model was trained with"));
}

void LayerReader::check_group(const Found& scaling) {
    const ModelGroup* group = shared_.group();
    if (!group || !shared_.result.refusal.empty()) return;
    const auto has = [](const std::vector<std::string>& list, const std::string& each) {
        return std::find(list.begin(), list.end(), each) != list.end();
    };
    std::string& refusal = shared_.result.refusal;
    for (const std::string& key : group->needs)
        if (!lookup_.find(layer_.scaling_path + "/" + key))
            refusal =
                fmt::format("'{}' lacks '{}', which model type '{}' needs", scaling.path, key, shared_.model.name);
    for (const Member& each : scaling.value().members)
        if (group->refuses_more && !has(group->needs, each.key))
            refusal = fmt::format("model type '{}' allows only {} in '{}', not '{}'", shared_.model.name,
                                  fmt::join(group->needs, ", "), scaling.path, core::printable_line(each.key));
    const TypeRule* rule = shared_.engine.find(layer_.type);
    if (group->types.empty() || has(group->types, rule ? rule->name : layer_.type) || !refusal.empty()) return;
    if (group->refuses_others)
        refusal = fmt::format("model type '{}' has no scaling type '{}', only {}", shared_.model.name,
                              core::printable_line(layer_.type), fmt::join(group->types, ", "));
    layer_.type = "default";
}

bool LayerReader::holds_layer_types(const Value& value) {
    return !value.members.empty() && std::all_of(value.members.begin(), value.members.end(), [](const Member& each) {
        return each.value.is(Value::Kind::object) || each.value.is(Value::Kind::null);
    });
}

void LayerReader::read_type(const Found& scaling) {
    Found type;
    for (const std::string& key : shared_.engine.type)
        if (!type) type = lookup_.find(layer_.scaling_path + "/" + key);
    if (type) {
        if (const auto text = lookup_.text(type)) layer_.type = *text;
        return;
    }
    static const std::vector<std::string> harmless = {"rope_theta", "partial_rotary_factor", "mrope_section",
                                                      "mrope_interleaved", "interleaved"};
    const bool scales = std::any_of(scaling.value().members.begin(), scaling.value().members.end(), [&](const auto& m) {
        return std::find(harmless.begin(), harmless.end(), m.key) == harmless.end();
    });
    if (shared_.engine.refuses_without_type && (scales || scaling.value().members.empty()))
        shared_.result.refusal = fmt::format("'{}' has no 'rope_type' or 'type'", scaling.path);
    if (!scales) return;
    lookup_.add(lookup_.finding(
        "scaling-without-type", Severity::error, scaling,
        fmt::format("'{}' has no 'rope_type': some readers refuse it, others scale nothing, without a word.",
                    scaling.path),
        "write \"rope_type\": with the method, such as \"yarn\" or \"llama3\""));
}

void LayerReader::read_rotated() {
    const Found deepseek = lookup_.find("qk_rope_head_dim");
    if (const auto width = lookup_.integer(deepseek)) {
        rotated_ = *width;
        has_latent_ = true;
        layer_.positions.head_dim = static_cast<int>(width_ = *width);
        return;
    }
    if (const double* width = shared_.fallback("qk_rope_head_dim")) {
        note_default("qk_rope_head_dim", *width);
        has_latent_ = true;
        rotated_ = width_ = static_cast<long long>(*width);
        layer_.positions.head_dim = static_cast<int>(width_);
        return;
    }
    if (width_ <= 0) return;
    if (const Found dim = lookup_.first({"rotary_dim", "rotary_ndims"}); const auto width = lookup_.integer(dim)) {
        rotated_ = std::min(*width, width_);
        if (*width > width_)
            lookup_.add(lookup_.finding("rotated-too-wide", Severity::error, dim,
                                        fmt::format("'{}' is {}, wider than a head of {}.", dim.path, *width, width_),
                                        "write a width of at most the head's"));
        return;
    }
    if (const double* width = shared_.fallback("rotary_dim")) {
        note_default("rotary_dim", *width);
        rotated_ = std::min(static_cast<long long>(*width), width_);
        return;
    }
    read_fraction();
}

void LayerReader::read_fraction() {
    const Found found = lookup_.first(without_ignored(at_layer(shared_.engine.fraction)));
    fraction_ = lookup_.number(found, 0).value_or(1);
    if (!found) {
        for (const char* key : {"partial_rotary_factor", "rotary_pct", "rope_pct"})
            if (const double* fallback = shared_.fallback(key)) {
                fraction_ = *fallback;
                note_default(key, *fallback);
            }
    }
    if (fraction_ > 1) {
        lookup_.add(lookup_.finding("out-of-range", Severity::error, found,
                                    fmt::format("'{}' is {}: more than the whole head.", found.path, fraction_),
                                    "write a fraction of the head, at most 1"));
        fraction_ = 1;
    }
    rotated_ = static_cast<long long>(static_cast<double>(width_) * fraction_);
}

void LayerReader::read_rotary() {
    read_scaling();
    read_base();
    read_rotated();
    if (rotated_ <= 0) {
        shared_.result.refusal = "the width of a head is not given";
        if (lookup_.find("head_dim")) return;  // an invalid value, which has a finding of its own
        lookup_.add(lookup_.finding("no-head-dim", Severity::error, lookup_.prefix() + "head_dim",
                                    "The width of a head is not given: neither 'head_dim' nor 'hidden_size' and "
                                    "'num_attention_heads'. Nothing can be computed.",
                                    "write \"head_dim\""));
        return;
    }
    if (rotated_ % 2 != 0) {
        lookup_.add(lookup_.finding("odd-rotation", Severity::error, lookup_.prefix() + "head_dim",
                                    fmt::format("{} dimensions of a head are rotated, an odd number: dimensions turn "
                                                "in pairs.",
                                                rotated_),
                                    "correct 'head_dim' or the rotated fraction"));
        --rotated_;
    }
    constexpr long long most_rotated = 4096;
    if (rotated_ > most_rotated)
        lookup_.add(
            lookup_.finding("out-of-range", Severity::error, lookup_.prefix() + "head_dim",
                            fmt::format("{} dimensions of a head are rotated, more than {}.", rotated_, most_rotated),
                            "correct 'head_dim' or the number of heads"));
    if (rotated_ < 2 || rotated_ > most_rotated) {
        shared_.result.refusal = fmt::format("{} dimensions of a head are rotated", rotated_);
        return;
    }
    const TypeRule* rule = shared_.engine.find(layer_.type);
    if (!rule) rule = unknown_type();
    if (!rule) return;
    apply(*rule);
}

}  // namespace farfield::doctor
