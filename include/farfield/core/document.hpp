// A user's file as values with places, free of the format it was written in.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <farfield/core/place.hpp>

namespace farfield::core {

struct Entry;
struct Value;
using List = std::vector<Value>;

/// Keys with their values, in the order in which they were written.
class Entries {
public:
    std::vector<Entry> list;

    const Entry* find(std::string_view key) const;
    bool empty() const { return list.empty(); }
};

/// A value of the file. `text` is the number as written (so that 0.4 stays the decimal 0.4), empty otherwise.
/// The place of a string is that of its first character inside the quotes.
struct Value {
    std::variant<bool, long long, double, std::string, List, Entries> data;
    Place place;
    std::string text;

    bool is_number() const { return std::holds_alternative<long long>(data) || std::holds_alternative<double>(data); }
    const bool* boolean() const { return std::get_if<bool>(&data); }
    const std::string* string() const { return std::get_if<std::string>(&data); }
    const List* list() const { return std::get_if<List>(&data); }
    const Entries* entries() const { return std::get_if<Entries>(&data); }
    double number() const;               ///< of a number; NaN otherwise
    std::string_view type_name() const;  ///< "a boolean", "an integer", "a number", "a text", "a list", "a table"
};

struct Entry {
    std::string key;
    Place key_place;
    Value value;
};

}  // namespace farfield::core
