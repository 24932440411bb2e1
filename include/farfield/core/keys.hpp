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

/// One key: its name, type, unit or shape, default as text ("" if there is no default), whether it is required, and its
/// meaning. `choices`, if not empty, are the only strings that its value may have (separated by '|').
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
    bool may_be_empty = false;               ///< whether an empty table has a meaning
};

/// The strings that the value may have; empty if any string is allowed.
std::vector<std::string> choices_of(const Key& key);

/// The key tables of one part of a file: the keys of all of them are valid.
using KeyTables = std::vector<std::span<const Key>>;

/// Checks `entries` against `keys`: unknown keys (with the nearest valid name), missing required keys (reported at
/// `owner`, unless an unknown key is a misspelling of it), wrong types, values outside their choices or range, empty
/// tables. If several key tables are given, the keys of all of them are valid.
void check_keys(const Entries& entries, const KeyTables& keys, const Place& owner, Problems& problems);

/// The keys that are absent, the required ones first.
std::vector<std::string> absent_keys(const Entries& entries, const KeyTables& keys);

/// The absent key that the unknown `key` is a misspelling of, which is the nearest one. Empty for a known key, and if
/// no absent key is near.
std::string misspelt_key(std::string_view key, const KeyTables& keys, const std::vector<std::string>& absent);

/// Reports misspellings of absent keys as check_keys() does. Renames the key if the value has its type, so that later
/// readers do not report a second problem.
void correct_keys(Entries& entries, const KeyTables& keys, Problems& problems);

/// The entries after correct_keys().
Entries corrected(Entries entries, const KeyTables& keys, Problems& problems);

/// Typed readers of keys without a fallback. They return the value if the key is present and has the type. check_keys()
/// reports all other cases.
std::optional<double> read_number(const Entries& entries, std::string_view key);
std::optional<long long> read_integer(const Entries& entries, std::string_view key);
std::optional<bool> read_boolean(const Entries& entries, std::string_view key);
std::optional<std::string> read_text(const Entries& entries, std::string_view key);

/// The values under the keys of a table: what the file says, else what the key's row states as its fallback. So does a
/// value of another type, or below 0 for a count: check_keys() reports it. Throws PreconditionError for a key without
/// a row, and for one whose fallback is not of the type asked for.
class Settings {
public:
    /// Both must outlive it.
    Settings(const Entries& entries, std::span<const Key> keys) : entries_(&entries), keys_(keys) {}

    double number(std::string_view key) const;
    long long integer(std::string_view key) const;
    std::size_t count(std::string_view key) const;
    bool boolean(std::string_view key) const;
    std::string text(std::string_view key) const;

private:
    const Key& row(std::string_view key, KeyType type) const;

    const Entries* entries_;
    std::span<const Key> keys_;
};

/// A list of strings, or a single string. Any other value is reported.
std::vector<std::string> read_texts(const Entries& entries, std::string_view key, Problems& problems);

/// The keys as a Markdown table for the documentation: key, type, unit, default, meaning.
std::string document_keys(std::span<const Key> keys);

}  // namespace farfield::core
