#include "study/set_effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "study/override.hpp"

namespace farfield::study {

using core::Entries;
using core::Entry;

namespace {

const Entries& inner_table(const Entries& entries, std::string_view key) {
    static const Entries none;
    const Entry* entry = entries.find(key);
    const Entries* table = entry ? entry->value.entries() : nullptr;
    return table ? *table : none;
}

/// Whether the item names `name` under one of the keys, also in its sweep.
bool refers_to(const Entries& settings, const std::string& name, const std::vector<std::string>& keys) {
    const auto is_it = [&](const core::Value& value) {
        const std::string* text = value.string();
        return text && text->substr(0, text->find('[')) == name;
    };
    const auto holds = [&](const Entries& entries) {
        return std::any_of(entries.list.begin(), entries.list.end(), [&](const Entry& entry) {
            const bool is_key = std::find(keys.begin(), keys.end(), entry.key) != keys.end();
            const core::List* list = entry.value.list();
            return is_key && (is_it(entry.value) || (list && std::any_of(list->begin(), list->end(), is_it)));
        });
    };
    return holds(settings) || holds(inner_table(settings, "sweep"));
}

/// Whether the item gives the parameter its own value.
bool gives(const Entries& settings, const std::string& param) {
    const auto has = [&](std::string_view table) { return inner_table(settings, table).find(param) != nullptr; };
    return has("params") || has("let") || has("sweep");
}

/// Whether a value that was set at the path affects an item of the study.
bool has_effect(const Entries& document, const std::vector<std::string>& path, const std::vector<std::string>& keys) {
    const bool is_param = path.size() == 4 && path[0] == "scheme" && path[2] == "params";
    const Entry* own = inner_table(document, path[0]).find(path[1]);
    if (is_param && own && own->value.entries() && inner_table(*own->value.entries(), "sweep").find(path[3]))
        return false;
    for (const char* heading : {"scheme", "quantity", "train", "checkpoint"}) {
        for (const Entry& item : inner_table(document, heading).list) {
            const Entries* settings = item.value.entries();
            if (!settings || !refers_to(*settings, path[1], keys)) continue;
            if (!is_param || !gives(*settings, path[3])) return true;
        }
    }
    return false;
}

/// A swept value replaces a value that was set.
void check_swept(const Entries& document, const std::vector<std::string>& path, const core::Place& place,
                 core::Problems& problems) {
    const Entry* item = path.size() < 3 ? nullptr : inner_table(document, path[0]).find(path[1]);
    const Entries* settings = item ? item->value.entries() : nullptr;
    if (settings && inner_table(*settings, "sweep").find(path.back()) && path[2] != "sweep")
        problems.add(place, fmt::format("'{}' of {} '{}' is swept", path.back(), path[0], path[1]),
                     fmt::format("--set {}.{}.sweep.{}=[...]", path[0], path[1], path.back()));
}

}  // namespace

void check_set(const Entries& document, const std::string& study,
               const std::vector<std::pair<std::string, std::string>>& set, core::Problems& problems) {
    const std::map<std::string, std::vector<std::string>> references = {{"scheme", {"scheme", "extends"}},
                                                                        {"model", {"model"}},
                                                                        {"corpus", {"corpus"}},
                                                                        {"train", {"of", "against", "start"}},
                                                                        {"checkpoint", {"of"}}};
    for (const auto& [path, value] : set) {
        core::Place place;
        place.file = "--set " + path + "=" + value;
        const std::vector<std::string> parts = parts_of(path);
        check_swept(document, parts, place, problems);
        const auto keys = references.find(parts.front());
        if (keys == references.end() || parts.size() < 2 || has_effect(document, parts, keys->second)) continue;
        problems.add(place, fmt::format("nothing in '{}' depends on this value of {} '{}'", study, parts[0], parts[1]),
                     "a value that a quantity of the study depends on");
    }
}

}  // namespace farfield::study
