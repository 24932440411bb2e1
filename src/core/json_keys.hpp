// Parses JSON and refuses objects that have a key twice.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::core {

/// Parses `text` as nlohmann's `Json`. If a key occurs twice, nlohmann's parser keeps one of the values, and other
/// readers keep the other. Therefore `refuse` is called with such a key, and must throw.
template <class Json, class Refuse>
Json parse_with_keys_once(std::string_view text, const Refuse& refuse) {
    std::vector<std::set<std::string>> keys;  // the keys of the enclosing objects
    return Json::parse(text, [&](int, typename Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) keys.emplace_back();
        if (event == Json::parse_event_t::object_end) keys.pop_back();
        if (event != Json::parse_event_t::key) return true;
        const auto key = parsed.template get<std::string>();
        if (!keys.back().insert(key).second) refuse(key);
        return true;
    });
}

}  // namespace farfield::core
