#include "study/override.hpp"

#include <algorithm>

#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::Place;
using core::Value;

namespace {

Value read_value(const std::string& text, const Place& place) {
    try {
        const Entries read = scheme::read_toml("value = " + text, place.file);
        if (read.list.size() == 1) {
            Value value = read.list.front().value;
            value.place = place;
            return value;
        }
    } catch (const core::UserError&) {
        // A value that is not valid TOML is a text, so that --set scheme.x.bias=-n needs no nested quotes.
    }
    return {text, place, {}};
}

Entry* find(Entries& entries, const std::string& key) {
    const auto found =
        std::find_if(entries.list.begin(), entries.list.end(), [&](const Entry& each) { return each.key == key; });
    return found == entries.list.end() ? nullptr : &*found;
}

std::vector<std::string> keys_of(const Entries& entries) {
    std::vector<std::string> keys;
    for (const Entry& entry : entries.list) keys.push_back(entry.key);
    return keys;
}

/// The table under the key, created if it is missing; null if the key has a value that is not a table.
Entries* table_at(Entries& entries, const std::string& key, const Place& place) {
    if (!find(entries, key)) entries.list.push_back({key, place, {Entries{}, place, {}}});
    return std::get_if<Entries>(&find(entries, key)->value.data);
}

void copy_builtin(Entries& document, const std::string& name, const Place& place) {
    const scheme::Scheme* known = scheme::Registry::builtin().find(name);
    Entries* schemes = known ? table_at(document, "scheme", place) : nullptr;
    if (schemes && !find(*schemes, name)) schemes->list.push_back({name, place, {known->settings, place, {}}});
}

void apply(Entries& document, const std::string& path, const std::string& text, core::Problems& problems) {
    Place place;
    place.file = "--set " + path + "=" + text;
    const std::vector<std::string> parts = parts_of(path);
    if (parts.size() < 2 || std::find(parts.begin(), parts.end(), "") != parts.end()) {
        problems.add(place, "the path '" + path + "' names no value", "a path such as scheme.x.params.w");
        return;
    }
    if (parts[0] == "scheme") copy_builtin(document, parts[1], place);
    Entries* at = &document;
    for (std::size_t level = 0; level + 1 < parts.size(); ++level) {
        // Items are declared in the file; tables within an item may be new.
        const bool declared = find(*at, parts[level]) != nullptr;
        const bool is_whole_scheme = parts[0] == "scheme" && parts.size() == 2;
        const bool may_be_new = level >= 2 || (level == 0 && (parts[0] == "study" || is_whole_scheme));
        if (!declared && !may_be_new) {
            const bool is_scheme = level == 0 && parts[0] == "scheme";
            const std::string& name = parts[is_scheme ? 1 : level];
            problems.add(place, "there is no '" + name + "' to set a value of", "",
                         core::known_here(name, is_scheme ? scheme::Registry::builtin().names() : keys_of(*at)));
            return;
        }
        at = table_at(*at, parts[level], place);
        if (!at) {
            problems.add(place, "'" + parts[level] + "' is not a table", "a path to a value of a table");
            return;
        }
    }
    const Value value = read_value(text, place);
    if (Entry* entry = find(*at, parts.back()))
        entry->value = value;
    else
        at->list.push_back({parts.back(), place, value});
}

}  // namespace

std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts(1);
    char quote = 0;
    for (const char letter : path) {
        if (quote != 0) {
            if (letter == quote)
                quote = 0;
            else
                parts.back() += letter;
        } else if (letter == '"' || letter == '\'') {
            quote = letter;
        } else if (letter == '.') {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

void apply_settings(Entries& document, const std::vector<std::pair<std::string, std::string>>& set,
                    core::Problems& problems) {
    for (const auto& [path, text] : set) apply(document, path, text, problems);
}

}  // namespace farfield::study
