#include "recheck/results.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

using Json = nlohmann::json;

std::string text(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_boolean() && found->get<bool>();
}

/// Reads a number, or the text of a number that is not finite.
double number(const Json& value) {
    return value.is_string() ? std::strtod(value.get_ref<const std::string&>().c_str(), nullptr) : value.get<double>();
}

Facts facts_of(const Json& object, const char* key) {
    Facts facts;
    const auto found = object.find(key);
    if (found == object.end()) return facts;
    for (const auto& [name, value] : found->items())
        if (value.is_string()) facts[name] = value.get<std::string>();
    return facts;
}

void read_table(const Json& table, Quantity& quantity) {
    quantity.rows = table.at("rows").get<std::vector<std::string>>();
    quantity.columns = table.at("columns").get<std::vector<std::string>>();
    if (table.contains("printed")) quantity.printed = table.at("printed").get<std::vector<std::vector<std::string>>>();
}

Quantity quantity_of(const std::string& name, const Json& json) {
    Quantity quantity;
    quantity.name = name;
    quantity.kind = text(json, "kind");
    if (json.contains("evidence")) quantity.facts = facts_of(json.at("evidence"), "facts");
    quantity.notes = facts_of(json, "notes");
    for (const auto& [key, value] : json.at("values").items())
        quantity.values[key] = value.is_null() ? std::nullopt : std::optional(number(value));
    if (json.contains("enclosures"))
        for (const auto& [key, ends] : json.at("enclosures").items())
            quantity.enclosures[key] = {number(ends.at(0)), number(ends.at(1))};
    if (json.contains("table")) read_table(json.at("table"), quantity);
    return quantity;
}

Reading reading_of(const Json& json) {
    Reading reading;
    reading.name = text(json, "name");
    reading.holds = text(json, "holds");
    reading.verdict = text(json, "verdict");
    reading.is_certified = flag(json, "certified");
    reading.is_extra = flag(json, "extra");
    reading.covers_part = text(json, "covers") == "part";
    for (const auto& [name, decimal] : facts_of(json, "given")) reading.given.emplace_back(name, decimal);
    return reading;
}

}  // namespace

const std::string* Quantity::fact(std::string_view key) const {
    const auto found = facts.find(key);
    return found == facts.end() ? nullptr : &found->second;
}

const std::string& Quantity::needed(std::string_view key) const {
    const std::string* found = fact(key);
    if (!found) throw Unprovable("the evidence of '" + name + "' lacks '" + std::string(key) + "'");
    return *found;
}

Node Quantity::formula(const std::string& key) const {
    if (const std::string* whole = fact(key)) return parse_tree(*whole);
    Replacements names;
    for (const char* table : {"setting.params.", "setting.let."}) {
        const std::string start = table;
        for (auto entry = facts.lower_bound(start); entry != facts.end() && entry->first.starts_with(start); ++entry)
            names[entry->first.substr(start.size())] = parse_tree(entry->second);
    }
    return substituted(parse_tree(needed("setting." + key)), names);
}

Results read_results(const std::string& json) try {
    const Json root = Json::parse(json);
    Results results;
    results.study = text(root, "study");
    for (const auto& [name, quantity] : root.at("quantities").items())
        results.quantities[name] = quantity_of(name, quantity);
    for (const Json& each : root.at("claims")) {
        Claim claim{text(each, "id"), text(each, "verdict"), flag(each, "certified"), {}};
        for (const Json& reading : each.at("readings")) claim.readings.push_back(reading_of(reading));
        results.claims.push_back(std::move(claim));
    }
    return results;
} catch (const Json::exception& error) {
    const bool is_syntax = dynamic_cast<const Json::parse_error*>(&error) != nullptr;
    throw Unprovable(is_syntax ? "not a results.json: it is not JSON"
                               : "not a results.json: a key is missing or of another type");
}

}  // namespace farfield::recheck
