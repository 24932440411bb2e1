#include "measure/whole_numbers.hpp"

#include <algorithm>
#include <string>

namespace farfield::measure {

std::vector<std::size_t> read_lengths(const core::Entries& settings, core::Problems& problems) {
    std::vector<std::size_t> lengths;
    const core::Entry* entry = settings.find("lengths");
    const core::List* list = entry ? entry->value.list() : nullptr;
    if (!list) return lengths;  // check_keys reports it
    if (list->empty()) problems.add(entry->value.place, "'lengths' is empty", "at least one length");
    for (const core::Value& value : *list) {
        const auto* number = std::get_if<long long>(&value.data);
        const bool is_length = number && *number >= 1 && static_cast<double>(*number) <= most_length;
        if (!is_length) {
            problems.add(value.place,
                         "a length is " + (value.text.empty() ? std::string(value.type_name()) : value.text),
                         "a whole number from 1 to 2^30");
            continue;
        }
        const auto length = static_cast<std::size_t>(*number);
        if (std::find(lengths.begin(), lengths.end(), length) != lengths.end())
            problems.add(value.place, "the length " + std::to_string(length) + " is listed twice", "every length once");
        lengths.push_back(length);
    }
    return lengths;
}

void require_window_within(const std::vector<std::size_t>& lengths, const core::Entries& settings,
                           core::Problems& problems) {
    const core::Entry* window = settings.find("window");
    const long long size = core::read_integer(settings, "window").value_or(0);
    if (!window || lengths.empty() || size < 1) return;
    const std::size_t longest = *std::max_element(lengths.begin(), lengths.end());
    if (static_cast<std::size_t>(size) <= longest) return;
    problems.add(window->value.place, "'window' is " + std::to_string(size),
                 "at most the largest of 'lengths', " + std::to_string(longest));
}

Feed read_feed(const core::Entries& settings, std::string_view key, std::size_t count) {
    Feed feed;
    feed.rows = count;
    feed.rows_key = key;
    if (const core::Entry* rows = settings.find(key)) feed.rows_place = rows->value.place;
    const auto add = [&feed](const core::Value& value) {
        feed.lengths.push_back({static_cast<std::size_t>(value.number()), value.place});
    };
    if (const core::Entry* length = settings.find("length")) add(length->value);
    const core::Entry* lengths = settings.find("lengths");
    if (!lengths || !lengths->value.list()) return feed;
    for (const core::Value& value : *lengths->value.list()) add(value);
    return feed;
}

void require_between(const core::Entries& settings, std::string_view key, core::Problems& problems) {
    const core::Entry* entry = settings.find(key);
    if (!entry || !entry->value.is_number() || (entry->value.number() != 0 && entry->value.number() != 1)) return;
    problems.add(entry->value.place, "'" + std::string(key) + "' is " + entry->value.text, "a number between 0 and 1");
}

}  // namespace farfield::measure
