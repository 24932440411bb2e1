#include <array>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <span>

#include <farfield/claim/claim.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/study/keys.hpp>

namespace farfield::study {

using core::Key;
using core::KeyType;

namespace {

using Json = nlohmann::ordered_json;
using Tables = std::initializer_list<std::span<const Key>>;
/// Schemas of keys whose values have keys of their own.
using Nested = std::map<std::string_view, Json>;

/// The schema of the values that the key's type accepts.
Json schema_of(KeyType type) {
    switch (type) {
        case KeyType::boolean: return {{"type", "boolean"}};
        case KeyType::integer: return {{"type", "integer"}};
        case KeyType::number: return {{"type", "number"}};
        case KeyType::text: return {{"type", "string"}};
        case KeyType::formula: return {{"type", {"string", "number"}}};
        case KeyType::list: return {{"type", "array"}};
        // Some editors report the keys of a table as unknown unless the schema allows them explicitly.
        case KeyType::table: return {{"type", "object"}, {"additionalProperties", true}};
        case KeyType::any: return {{"additionalProperties", true}};
    }
    return Json::object();
}

std::string description_of(const Key& key) {
    std::string text(key.meaning);
    if (!key.unit.empty()) text += " (" + std::string(key.unit) + ")";
    if (!key.fallback.empty()) text += "; default: " + std::string(key.fallback);
    return text;
}

Json schema_of(const Key& key) {
    Json schema = schema_of(key.type);
    schema["description"] = description_of(key);
    for (const std::string& choice : core::choices_of(key)) schema["enum"].push_back(choice);
    const bool is_bounded = key.type == KeyType::number || key.type == KeyType::integer;
    if (is_bounded && key.least > Key{}.least) schema["minimum"] = key.least;
    if (is_bounded && key.most < Key{}.most) schema["maximum"] = key.most;
    if (key.type == KeyType::table && !key.may_be_empty) schema["minProperties"] = 1;
    if (key.type == KeyType::text && key.choices.empty()) schema["pattern"] = "\\S";  // more than spaces
    return schema;
}

/// A table with the keys of `tables` and no others.
Json table_of(Tables tables, const Nested& nested = {}) {
    Json schema = {{"type", "object"}, {"additionalProperties", false}};
    Json required = Json::array();
    bool may_sweep = false;
    for (const auto& keys : tables) {
        for (const Key& key : keys) {
            const std::string name(key.name);
            Json& property = schema["properties"][name] = schema_of(key);
            if (const auto inner = nested.find(key.name); inner != nested.end()) property.update(inner->second);
            if (key.required) required.push_back(name);
            may_sweep = may_sweep || key.name == "sweep";
        }
    }
    if (required.empty()) return schema;
    const Json has_all = {{"required", required}};
    // A sweep may give the values of required keys.
    if (may_sweep)
        schema["anyOf"] = {has_all, {{"required", {"sweep"}}}};
    else
        schema.update(has_all);
    return schema;
}

/// A table whose keys are names that the author chooses.
Json named(const Json& schema) {
    return {{"type", "object"}, {"additionalProperties", schema}};
}

Json list_of(const Json& schema) {
    return {{"type", "array"}, {"items", schema}};
}

Json scheme_schema() {
    return table_of({scheme::scheme_keys()},
                    {{"rotate", table_of({scheme::rotate_keys()}, {{"far", table_of({scheme::far_keys()})}})},
                     {"embed", table_of({scheme::embed_keys()})},
                     {"learn", named(table_of({scheme::learn_keys()}))},
                     {"relative", table_of({scheme::relative_keys()})}});
}

/// The quantity of one kind: `kind` is its name.
Json of_kind(std::string_view name, std::string_view summary, Tables tables) {
    const std::string meaning(summary);
    Json schema = table_of(tables, {{"kind", {{"enum", {std::string(name)}}, {"description", meaning}}}});
    schema["title"] = std::string(name);
    schema["description"] = meaning;
    return schema;
}

Json quantity_schema() {
    Json kinds = Json::array();
    for (const quantity::Kind& kind : quantity::kinds()) {
        const auto selection = kind.takes_scheme ? quantity::scheme_selection_keys() : std::span<const Key>();
        kinds.push_back(of_kind(kind.name, kind.summary, {quantity_keys(), kind.keys, selection}));
    }
    for (const measure::Kind& kind : measure::kinds())
        kinds.push_back(of_kind(kind.name, kind.summary, {quantity_keys(), kind.keys}));
    return {{"type", "object"}, {"additionalProperties", true}, {"required", {"kind"}}, {"oneOf", kinds}};
}

Json claim_schema() {
    return table_of({claim::claim_keys()}, {{"reading", list_of(table_of({claim::reading_keys()}))}});
}

Json figure_schema() {
    return table_of({report::figure_keys()}, {{"x", table_of({report::axis_keys()})},
                                              {"y", table_of({report::axis_keys()})},
                                              {"z", table_of({report::axis_keys()})}});
}

}  // namespace

std::string json_schema() {
    const Nested tables = {{"study", table_of({study_keys()})},
                           {"scheme", named(scheme_schema())},
                           {"quantity", named(quantity_schema())},
                           {"figure", named(figure_schema())},
                           {"claim", list_of(claim_schema())},
                           {"model", named(table_of({model_keys()}))},
                           {"train", named(table_of({train_keys()}))},
                           {"corpus", named(table_of({corpus_keys()}))},
                           {"checkpoint", named(table_of({checkpoint_keys()}))}};
    Json schema = {{"$schema", "http://json-schema.org/draft-04/schema#"}, {"title", "farfield study"}};
    schema.update(table_of({file_keys()}, tables));
    return schema.dump(2) + "\n";
}

}  // namespace farfield::study
