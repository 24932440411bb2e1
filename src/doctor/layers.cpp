#include "doctor/layers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/printable.hpp>
#include <set>

namespace farfield::doctor {

namespace {

/// The default of a model type for a missing window, which is reported to the user.
long long default_window(Lookup& lookup, const ModelType& model, const std::string& key, bool is_declared) {
    const double* fallback = model.default_of(key);
    // A null window means no window.
    if (!fallback || lookup.root().find(key)) return 0;
    const auto window = static_cast<long long>(*fallback);
    if (is_declared)
        lookup.add(lookup.finding(
            "default-taken", Severity::note, lookup.prefix() + key,
            fmt::format("'{}' is not given: {}, the default of model type '{}'.", key,
                        window == 0 ? "every query reaches all keys" : fmt::format("{} is taken", window), model.name),
            fmt::format("write \"{}\": {} if that is what the model was trained with", key,
                        window == 0 ? "null" : fmt::format("{}", window))));
    return window;
}

bool uses_window(Lookup& lookup, const ModelType& model) {
    if (const Found use = lookup.find("use_sliding_window")) return lookup.boolean(use).value_or(true);
    const double* fallback = model.default_of("use_sliding_window");
    return !fallback || *fallback != 0;
}

long long window_of(Lookup& lookup, const ModelType& model, const std::string& type, bool is_declared) {
    if (type.starts_with("full") || type == "global" || never_rotates(type)) return 0;
    const auto read = [&](const char* key) -> long long {
        if (const Found found = lookup.find(key)) return lookup.integer(found).value_or(0);
        return default_window(lookup, model, key, is_declared);
    };
    if (type.starts_with("chunked_attention")) return read("attention_chunk_size");
    if (type == "sliding_attention")
        if (const long long local = read("local_attention"); local > 0)
            return model.one_sided ? std::max(local / 2, 1LL) : local / 2 + 1;
    // A model type that has the switch has no window without it, whatever its layers are called.
    const bool is_switched = model.default_of("use_sliding_window");
    return uses_window(lookup, model) || (type == "sliding_attention" && !is_switched) ? read("sliding_window") : 0;
}

/// The type of each layer, in their order.
using Types = std::vector<std::string>;

std::vector<LayerKind> kinds_of(const Types& types) {
    std::vector<LayerKind> kinds;
    for (const std::string& type : types) {
        const auto known =
            std::find_if(kinds.begin(), kinds.end(), [&](const LayerKind& each) { return each.type == type; });
        if (known == kinds.end())
            kinds.push_back({type, 1, 0});
        else
            ++known->count;
    }
    return kinds;
}

/// Checks that a list has one item per layer.
void check_count(Lookup& lookup, const Found& list, long long layer_count) {
    const auto count = static_cast<long long>(list.value().items.size());
    if (layer_count > 0 && count != layer_count)
        lookup.add(
            lookup.finding("layer-count", Severity::error, list,
                           fmt::format("'{}' names {} layers, 'num_hidden_layers' {}: readers refuse it, or some "
                                       "layers get the wrong attention.",
                                       list.path, count, layer_count),
                           "make the two agree"));
}

/// Reports layer types that no reader knows.
void check_types(Lookup& lookup, const Found& types, const std::set<std::string>& names) {
    const std::vector<std::string>& known = known_layer_types();
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = core::suggestion(name, known);
        lookup.add(
            lookup.finding("unknown-layer-type", Severity::warning, types,
                           fmt::format("'{}' has the layer type '{}', which is unknown: transformers refuses it.",
                                       types.path, core::shortened(core::printable_line(name), 40)),
                           near.empty() ? "write \"full_attention\" or \"sliding_attention\"" : near));
    }
}

/// The types of layers from the list of them; empty if it is invalid.
Types listed(Lookup& lookup, const Found& list, const ModelType& model, long long layer_count, bool is_declared) {
    const auto refuse = [&](const std::string& message) {
        lookup.add(lookup.finding("wrong-type", Severity::error, list, fmt::format("'{}' {}.", list.path, message),
                                  "write a list with the type of each layer"));
        return Types{};
    };
    if (!list.value().is(Value::Kind::list))
        return refuse(fmt::format("is {}, not a list of texts", list.value().kind_name()));
    lookup.used().push_back(list.path);
    constexpr std::size_t most_types = 16;
    Types types;
    std::set<std::string> names;
    for (const Value& each : list.value().items) {
        if (!each.is(Value::Kind::text)) return refuse(fmt::format("has {}, not a text", each.kind_name()));
        types.push_back(each.text);
        names.insert(each.text);
        if (names.size() > most_types) return refuse(fmt::format("names more than {} types of layers", most_types));
    }
    if (is_declared) {
        check_count(lookup, list, layer_count);
        check_types(lookup, list, names);
    }
    if (model.last_is_full && !types.empty()) types.back() = model.full;
    return types;
}

/// The types of layers from a list that has 1 for layers with rotation.
Types by_rotation(Lookup& lookup, const Found& list, const ModelType& model, long long layer_count, bool is_declared) {
    Types types;
    if (is_declared) check_count(lookup, list, layer_count);
    lookup.used().push_back(list.path);
    long long rotating = 0;
    const Found interval = lookup.find(model.pattern);
    const long long every = lookup.integer(interval).value_or(0);
    std::optional<long long> odd;
    for (const Value& each : list.value().items) {
        const auto layer = static_cast<long long>(types.size());
        if (every > 0 && !odd && (each.number != 0) != ((layer + 1) % every != 0)) odd = layer;
        rotating += each.number != 0 ? 1 : 0;
        types.push_back(each.number != 0 ? model.others : model.full);
    }
    if (odd && is_declared)
        lookup.add(lookup.finding(
            "contradiction", Severity::warning, list,
            fmt::format("'{}' says that layer {} {}, and '{}' is {}: every {}-th layer alone has no rotation. {} of {} "
                        "layers rotate by the list, in which 1 is a layer that rotates.",
                        list.path, *odd,
                        list.value().items[static_cast<std::size_t>(*odd)].number != 0 ? "rotates" : "does not rotate",
                        interval.path, every, every, rotating, types.size()),
            "make the two agree"));
    return types;
}

/// The interval of a pattern: a number, or EXAONE's "LLLG" with a letter for each layer.
std::optional<long long> interval_of(Lookup& lookup, const Found& pattern, const ModelType& model) {
    const Value& value = pattern.value();
    const bool has_letters = model.windowed_only && value.is(Value::Kind::text) && value.text.ends_with('G') &&
                             value.text.find_first_not_of('L') + 1 == value.text.size();
    if (!has_letters) return lookup.integer(pattern);
    lookup.used().push_back(pattern.path);
    return static_cast<long long>(value.text.size());
}

Types by_pattern(Lookup& lookup, const ModelType& model, long long layers) {
    long long every = model.every;
    if (!model.pattern.empty())
        if (const Found pattern = lookup.find(model.pattern))
            every = interval_of(lookup, pattern, model).value_or(every);
    Types types;
    for (long long i = 0; i < layers; ++i) {
        const bool is_last = model.last_is_full && i + 1 == layers;
        const bool is_full = is_last || (model.first_is_full ? i % every == 0 : (i + 1) % every == 0);
        types.push_back(is_full ? model.full : model.others);
    }
    return types;
}

/// The layers that a list names by their numbers, and the others.
Types by_indices(Lookup& lookup, const Found& list, const ModelType& model, long long layers) {
    if (!lookup.list(list)) return {};
    lookup.used().push_back(list.path);
    Types types(static_cast<std::size_t>(layers), model.others);
    for (const Value& each : list.value().items) {
        const bool is_layer = each.is(Value::Kind::number) && each.number == std::floor(each.number) &&
                              each.number >= 0 && each.number < static_cast<double>(layers);
        if (is_layer)
            types[static_cast<std::size_t>(each.number)] = model.full;
        else
            lookup.add(lookup.finding(
                "out-of-range", Severity::error, list,
                fmt::format("'{}' has an item that is not the number of one of {} layers.", list.path, layers),
                "write numbers of layers, from 0"));
    }
    return types;
}

/// The first layers have no window, the others have one.
Types by_first_window(Lookup& lookup, long long fallback, long long layers) {
    const long long first =
        std::clamp(lookup.integer(lookup.find("max_window_layers"), 0).value_or(fallback), 0LL, layers);
    Types types(static_cast<std::size_t>(layers), "sliding_attention");
    std::fill_n(types.begin(), first, "full_attention");
    return types;
}

/// Llama 4 takes the masks of layers from the list of layer types, and their rotations from other keys. A layer with
/// the other mask than those of its rotation has a type of its own.
void put_masks(Types& types, const Types& masks, const ModelType& model) {
    if (masks.size() != types.size()) return;
    for (std::size_t i = 0; i < types.size(); ++i)
        if (types[i] != masks[i])
            types[i] = masks[i] + (model.rotates(types[i]) ? "_with_rotation" : "_without_rotation");
}

/// Reports layers with a window that is not given.
void check_windows(Lookup& lookup, const Found& list, const std::vector<LayerKind>& kinds) {
    for (const LayerKind& kind : kinds) {
        const bool is_chunked = kind.type == "chunked_attention";
        if (kind.window > 0 || (!is_chunked && kind.type != "sliding_attention")) continue;
        lookup.add(lookup.finding(
            "contradiction", Severity::warning, list,
            fmt::format("'{}' has layers of type '{}', and their window is not given: transformers refuses it, other "
                        "readers take layers without a window.",
                        list.path, kind.type),
            fmt::format("write \"{}\", or \"full_attention\" for these layers",
                        is_chunked ? "attention_chunk_size" : "sliding_window")));
    }
}

}  // namespace

std::vector<LayerKind> layer_kinds(Lookup& lookup, const ModelType& model, long long& layer_count,
                                   std::vector<std::string>& layer_order, bool is_declared) {
    layer_count = lookup.integer(lookup.first({"num_hidden_layers", "n_layer", "n_layers", "num_layers"})).value_or(0);
    if (layer_count == 0 && model.default_of("num_hidden_layers"))
        layer_count = static_cast<long long>(*model.default_of("num_hidden_layers"));
    if (layer_count == 0 && is_declared)
        lookup.add(lookup.finding("layers-not-given", Severity::note, lookup.prefix() + "num_hidden_layers",
                                  "The number of layers is not given: layer types are not counted.",
                                  "write \"num_hidden_layers\""));
    constexpr long long most_layers = 100'000;
    layer_count = std::min(layer_count, most_layers);
    Types order;
    const Found rotating = lookup.find("no_rope_layers");
    const Found list = lookup.find("layer_types");
    // The layer types of these models say nothing about rotations.
    const bool names_rotation = model.pattern == "no_rope_layer_interval";
    if (!model.without_rotation.empty() && rotating && rotating.value().is(Value::Kind::list) &&
        !rotating.value().items.empty())
        order = by_rotation(lookup, rotating, model, layer_count, is_declared);
    else if (list && !names_rotation)
        order = listed(lookup, list, model, layer_count, is_declared);
    else if (const Found indices = lookup.find(model.indices); indices && layer_count > 0)
        order = by_indices(lookup, indices, model, layer_count);
    else if (model.every > 0 && layer_count > 0)
        order = by_pattern(lookup, model, layer_count);
    else if (const double* first = model.default_of("max_window_layers");
             first && layer_count > 0 && uses_window(lookup, model))
        order = by_first_window(lookup, static_cast<long long>(*first), layer_count);
    if (list && names_rotation && model.others == "chunked_attention")
        put_masks(order, listed(lookup, list, model, layer_count, is_declared), model);
    std::vector<LayerKind> kinds = kinds_of(order);
    if (kinds.empty()) kinds.push_back({"", layer_count, 0});
    for (LayerKind& kind : kinds) kind.window = window_of(lookup, model, kind.type, is_declared);
    if (list && is_declared && !order.empty()) check_windows(lookup, list, kinds);
    // Only if layers differ.
    if (kinds.size() > 1) layer_order = std::move(order);
    const bool has_list = list && !names_rotation;
    std::stable_sort(kinds.begin(), kinds.end(), [&](const LayerKind& a, const LayerKind& b) {
        if (model.rotates(a.type) != model.rotates(b.type)) return model.rotates(a.type);
        if ((a.window == 0) != (b.window == 0)) return a.window == 0;
        return !has_list && a.type == model.full && b.type != model.full;
    });
    return kinds;
}

}  // namespace farfield::doctor
