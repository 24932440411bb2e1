#include <algorithm>
#include <cstdlib>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

#include "scheme/catalogue.hpp"
#include "scheme/inheritance.hpp"
#include "scheme/reader.hpp"
#include "scheme/vocabulary.hpp"

namespace farfield::scheme {
namespace {

Registry read_catalogue() {
    core::Entries schemes;
    for (const CatalogueFile& file : catalogue_files()) {
        const core::Entries entries = read_toml(std::string(file.text), std::string(file.name));
        for (const core::Entry& entry : entries.find("scheme")->value.entries()->list) schemes.list.push_back(entry);
    }
    Registry registry;
    core::Problems problems;
    registry.add(schemes, problems);
    problems.raise();
    return registry;
}

core::Value number_value(const std::string& decimal, double number, const core::Place& place) {
    core::Value value;
    value.data = number;
    value.place = place;
    value.text = decimal;
    return value;
}

}  // namespace

const Registry& Registry::builtin() {
    static const Registry registry = read_catalogue();
    return registry;
}

void Registry::add(const core::Entries& schemes, core::Problems& problems) {
    for (const core::Entry& entry : schemes.list) {
        if (!entry.value.entries()) {
            problems.add(entry.value.place, "the scheme '" + entry.key + "' is " + std::string(entry.value.type_name()),
                         "a table");
        } else if (const core::Entry* extends = entry.value.entries()->find("extends");
                   extends && !extends->value.string()) {
            problems.add(extends->value.place, "'extends' is " + std::string(extends->value.type_name()),
                         "the name of a scheme, in quotes");
        }
    }
    for (const auto& [name, settings] : resolve_extends(schemes, settings_, problems)) {
        Scheme scheme = read_scheme(name, settings, schemes.find(name)->key_place, problems);
        settings_.insert_or_assign(name, settings);
        schemes_.insert_or_assign(name, std::move(scheme));
    }
}

const Scheme* Registry::find(std::string_view name) const {
    const auto found = schemes_.find(name);
    return found == schemes_.end() ? nullptr : &found->second;
}

std::vector<std::string> Registry::names() const {
    std::vector<std::string> names;
    for (const auto& [name, scheme] : schemes_) names.push_back(name);
    return names;
}

Scheme Registry::with_params(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                             const core::Place& place, core::Problems& problems) const {
    const Scheme* scheme = find(name);
    if (!scheme) {
        problems.add(place, "there is no scheme '" + std::string(name) + "'", "", core::known_here(name, names()));
        return {};
    }
    if (params.empty()) return *scheme;
    std::vector<std::string> known;
    for (const auto& [param, text] : scheme->params) known.push_back(param);
    core::Entries changed;
    for (const auto& [param, text] : params) {
        const formula::Node node = literal(text);
        if (std::find(known.begin(), known.end(), param) == known.end()) {
            problems.add(place, "the scheme '" + std::string(name) + "' has no param '" + param + "'", "",
                         core::known_here(param, known));
        } else if (!node) {
            problems.add(place, "the param '" + param + "' cannot be '" + text + "'", "a number");
        } else {
            changed.list.push_back({param, place, number_value(text, std::strtod(text.c_str(), nullptr), place)});
        }
    }
    core::Entries own;
    core::Value table;
    table.data = changed;
    table.place = place;
    own.list.push_back({"params", place, table});
    return read_scheme(std::string(name), merge(scheme->settings, own), place, problems);
}

}  // namespace farfield::scheme
