// JSON whose objects have each key once.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::core {

/// Parses `text` as nlohmann's `Json`, which alone would take one of two values of a key, and other readers the other.
/// `refuse` is called with a key that an object has twice, and throws.
template <class Json, class Refuse>
Json parse_with_keys_once(std::string_view text, const Refuse& refuse) {
    std::vector<std::set<std::string>> keys;  // of the objects around
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
