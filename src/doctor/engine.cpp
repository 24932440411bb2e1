#include "doctor/engine.hpp"

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/doctor/doctor.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/toml.hpp>

#include "doctor/data.hpp"

namespace farfield::doctor {

namespace {

using core::Entries;
using core::Entry;

constexpr std::string_view declared = "declared";  // the meaning of the configuration itself, independent of any engine
constexpr std::string_view ending = ".toml";

std::string_view name_of(const core::DataFile& file) {
    return file.name.substr(0, file.name.size() - ending.size());
}

std::vector<std::string> texts(const Entries& entries, std::string_view key) {
    std::vector<std::string> list;
    const Entry* entry = entries.find(key);
    if (!entry || !entry->value.list()) return list;
    list.reserve(entry->value.list()->size());
    for (const core::Value& each : *entry->value.list())
        if (const std::string* text = each.string()) list.push_back(*text);
    return list;
}

std::string text(const Entries& entries, std::string_view key, std::string otherwise = {}) {
    return core::read_text(entries, key).value_or(std::move(otherwise));
}

const Entries& table(const Entries& entries, std::string_view key) {
    static const Entries empty;
    const Entry* entry = entries.find(key);
    return entry && entry->value.entries() ? *entry->value.entries() : empty;
}

std::vector<std::pair<std::string, double>> numbers(const Entries& entries) {
    std::vector<std::pair<std::string, double>> list;
    list.reserve(entries.list.size());
    for (const Entry& each : entries.list)
        if (each.value.is_number()) list.emplace_back(each.key, each.value.number());
    return list;
}

Formulas formulas(const Entries& entries) {
    Formulas list;
    list.reserve(entries.list.size());
    for (const Entry& each : entries.list)
        if (const std::string* source = each.value.string()) list.emplace_back(each.key, formula::parse(*source));
    return list;
}

TypeRule read_rule(const Entry& entry) {
    TypeRule rule;
    rule.name = entry.key;
    const Entries& keys = *entry.value.entries();
    rule.aliases = texts(keys, "aliases");
    rule.scheme = text(keys, "scheme", "rotary");
    rule.needs = texts(keys, "needs");
    rule.reads = texts(keys, "reads");
    const Entries& only = table(keys, "only");
    rule.only.reserve(only.list.size());
    for (const Entry& each : only.list) rule.only.emplace_back(each.key, texts(only, each.key));
    rule.defaults = numbers(table(keys, "defaults"));
    rule.let = formulas(table(keys, "let"));
    rule.params = formulas(table(keys, "params"));
    if (const std::string attention = text(keys, "attention"); !attention.empty())
        rule.attention = formula::parse(attention);
    if (const std::string softmax = text(keys, "softmax"); !softmax.empty()) rule.softmax = formula::parse(softmax);
    return rule;
}

ModelGroup read_group(const Entries& keys) {
    ModelGroup group;
    group.names = texts(keys, "names");
    group.types = texts(keys, "types");
    group.refuses_others = text(keys, "others", "refuse") == "refuse";
    group.needs = texts(keys, "needs");
    group.refuses_more = text(keys, "more") == "refuse";
    group.ignores = texts(keys, "ignores");
    return group;
}

}  // namespace

bool TypeRule::reads_for(std::string_view key, std::string_view model_type) const {
    for (const auto& [of_key, types] : only)
        if (of_key == key) return std::find(types.begin(), types.end(), model_type) != types.end();
    return true;
}

const TypeRule* Engine::find(std::string_view scaling_type) const {
    for (const TypeRule& rule : types) {
        if (rule.name == scaling_type) return &rule;
        if (std::find(rule.aliases.begin(), rule.aliases.end(), scaling_type) != rule.aliases.end()) return &rule;
    }
    return nullptr;
}

const ModelGroup* Engine::group_of(std::string_view model_type) const {
    for (const ModelGroup& group : groups)
        if (std::find(group.names.begin(), group.names.end(), model_type) != group.names.end()) return &group;
    return nullptr;
}

core::Entries read_data(std::span<const core::DataFile> files, std::string_view name) {
    for (const core::DataFile& file : files)
        if (name_of(file) == name)
            return scheme::read_toml(std::string(file.text), std::string(file.name), scheme::Excerpts::none);
    throw core::PreconditionError("doctor::read_data", "name", std::string(name), "a file of the build");
}

std::vector<std::string> engine_names() {
    std::vector<std::string> names;
    for (const core::DataFile& file : engine_files())
        if (name_of(file) != declared) names.emplace_back(name_of(file));
    return names;
}

Engine load_engine(std::string_view name) {
    const std::vector<std::string> known = engine_names();
    if (name != declared && std::find(known.begin(), known.end(), name) == known.end())
        throw core::UserError(
            {core::Diagnostic{{}, "unknown engine '" + std::string(name) + "'", "", core::known_here(name, known)}});
    const Entries root = read_data(engine_files(), name);
    Engine engine;
    engine.name = text(root, "name");
    engine.doc = text(root, "doc");
    engine.source = text(root, "source");
    const Entries& keys = table(root, "keys");
    engine.scaling = texts(keys, "scaling");
    engine.type = texts(keys, "type");
    engine.base = texts(keys, "base");
    engine.fraction = texts(keys, "fraction");
    engine.original = texts(keys, "original");
    const Entries& rules = table(root, "rules");
    engine.refuses_without_type = text(rules, "without_type") == "refuse";
    engine.refuses_unknown_type = text(rules, "unknown_type") == "refuse";
    engine.scales_other_models = text(rules, "other_models", "scale") == "scale";
    const Entries& groups = table(root, "models");
    engine.groups.reserve(groups.list.size());
    for (const Entry& each : groups.list) engine.groups.push_back(read_group(*each.value.entries()));
    const Entries& defaults = table(root, "default");
    engine.defaults.reserve(defaults.list.size());
    for (const Entry& each : defaults.list) engine.defaults.emplace_back(each.key, numbers(*each.value.entries()));
    const Entries& types = table(root, "type");
    engine.types.reserve(types.list.size());
    for (const Entry& each : types.list) engine.types.push_back(read_rule(each));
    return engine;
}

const double* ModelType::default_of(std::string_view key) const {
    for (const auto& [name_of, value] : defaults)
        if (name_of == key) return &value;
    return nullptr;
}

namespace {

const Entries& models() {
    static const Entries root = read_data(data_files(), "models");
    return root;
}

const Entries& recent_models() {
    static const Entries root = read_data(data_files(), "recent_models");
    return root;
}

bool is_in(const std::vector<std::string>& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

}  // namespace

bool never_rotates(std::string_view layer_type) {
    static const std::vector<std::string> types = texts(models(), "never_rotating");
    return is_in(types, layer_type);
}

bool ModelType::rotates(std::string_view layer_type) const {
    return !is_in(without_rotation, layer_type) && !layer_type.ends_with("_without_rotation") &&
           !never_rotates(layer_type);
}

ModelType load_model_type(std::string_view name) {
    ModelType type;
    type.name = name;
    const Entry* entry = table(models(), "model").find(name);
    if (!entry) entry = table(recent_models(), "model").find(name);
    if (!entry) return type;
    type.known = true;
    const Entries& keys = *entry->value.entries();
    type.position = text(keys, "position", "rotary");
    type.defaults = numbers(table(keys, "defaults"));
    type.sizes = numbers(table(keys, "sizes"));
    type.alibi = text(keys, "alibi");
    type.has_alibi = core::read_boolean(keys, "has_alibi").value_or(false);
    type.scales_alibi = core::read_boolean(keys, "scales_alibi").value_or(false);
    type.rotary_width = core::read_integer(keys, "rotary_width").value_or(0);
    type.reserved = text(keys, "reserved");
    type.interleaved = core::read_boolean(keys, "interleaved").value_or(false);
    type.pattern = text(keys, "pattern");
    type.every = core::read_integer(keys, "every").value_or(0);
    type.first_is_full = core::read_boolean(keys, "first_is_full").value_or(false);
    type.others = text(keys, "others", "sliding_attention");
    type.full = text(keys, "full", "full_attention");
    type.without_rotation = texts(keys, "without_rotation");
    const Entries& base = table(keys, "base");
    type.base.reserve(base.list.size());
    for (const Entry& each : base.list) type.base.emplace_back(each.key, texts(base, each.key));
    type.unscaled = texts(keys, "unscaled");
    const Entries& width = table(keys, "width");
    type.width.reserve(width.list.size());
    for (const Entry& each : width.list) type.width.emplace_back(each.key, text(width, each.key));
    type.indices = text(keys, "indices");
    type.scaled = text(keys, "scaled");
    type.windowed_only = core::read_boolean(keys, "windowed_only").value_or(false);
    type.last_is_full = core::read_boolean(keys, "last_is_full").value_or(false);
    type.one_sided = core::read_boolean(keys, "one_sided").value_or(false);
    return type;
}

const std::vector<std::string>& known_layer_types() {
    static const std::vector<std::string> names = texts(models(), "layer_types");
    return names;
}

const std::vector<std::string>& known_keys() {
    static const std::vector<std::string> keys = texts(models(), "known_keys");
    return keys;
}

}  // namespace farfield::doctor
