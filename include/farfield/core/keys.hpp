// Tables of keys: what a part of a file may contain. One table checks the file and prints its own documentation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

namespace farfield::core {

enum class KeyType { boolean, integer, number, text, formula, list, table, any };

/// One key: its name, type, unit or shape, default as text ("" if none), whether it must be there, what it means;
/// `choices`, if not empty, are the only texts it may have (separated by '|').
struct Key {
    std::string_view name;
    KeyType type = KeyType::any;
    std::string_view unit = "";
    std::string_view fallback = "";
    bool required = false;
    std::string_view meaning = "";
    std::string_view choices = "";
    double least = -1.7976931348623157e308;  ///< smallest number allowed, for numbers and integers
    double most = 1.7976931348623157e308;    ///< largest number allowed
};

/// The texts that the key may have; empty if any.
std::vector<std::string> choices_of(const Key& key);

/// The tables of one part: their union is known there.
using KeyTables = std::vector<std::span<const Key>>;

/// Checks `entries` against `keys`: unknown keys (with the nearest valid name), missing required keys (reported at
/// `owner`, unless an unknown key is a misspelling of it), wrong types, values outside their choices or range.
void check_keys(const Entries& entries, const KeyTables& keys, const Place& owner, Problems& problems);

/// The keys that are not there, the required ones first.
std::vector<std::string> absent_keys(const Entries& entries, const KeyTables& keys);

/// The key that an unknown one misspells: the nearest of those that are absent. Empty for a known key, and if none is
/// near.
std::string misspelt_key(std::string_view key, const KeyTables& keys, const std::vector<std::string>& absent);

/// Reports the keys that misspell one that is not there, as check_keys does, and gives them its name where the value
/// has its type: what reads the part has no second problem with them.
void correct_keys(Entries& entries, const KeyTables& keys, Problems& problems);

/// The entries so corrected.
Entries corrected(Entries entries, const KeyTables& keys, Problems& problems);

/// Typed readers. The value is returned if it is there and has the type (check_keys reports the rest).
std::optional<double> read_number(const Entries& entries, std::string_view key);
std::optional<long long> read_integer(const Entries& entries, std::string_view key);
std::optional<bool> read_boolean(const Entries& entries, std::string_view key);
std::optional<std::string> read_text(const Entries& entries, std::string_view key);

/// A list of texts or one text alone; what is neither is reported.
std::vector<std::string> read_texts(const Entries& entries, std::string_view key, Problems& problems);

/// The keys as a Markdown table for the documentation: key, type, unit, default, meaning.
std::string document_keys(std::span<const Key> keys);

}  // namespace farfield::core
