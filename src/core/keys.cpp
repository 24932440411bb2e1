#include <algorithm>
#include <charconv>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/core/printable.hpp>

namespace farfield::core {
namespace {

std::string_view type_text(KeyType type) {
    switch (type) {
        case KeyType::boolean: return "true or false";
        case KeyType::integer: return "an integer";
        case KeyType::number: return "a number";
        case KeyType::text: return "a text";
        case KeyType::formula: return "a formula (a text or a number)";
        case KeyType::list: return "a list";
        case KeyType::table: return "a table";
        case KeyType::any: return "a value";
    }
    return "a value";
}

bool has_type(const Value& value, KeyType type) {
    switch (type) {
        case KeyType::boolean: return value.boolean() != nullptr;
        case KeyType::integer: return std::holds_alternative<long long>(value.data);
        case KeyType::number: return value.is_number();
        case KeyType::text: return value.string() != nullptr;
        case KeyType::formula: return value.string() != nullptr || value.is_number();
        case KeyType::list: return value.list() != nullptr;
        case KeyType::table: return value.entries() != nullptr;
        case KeyType::any: return true;
    }
    return false;
}

std::string plain(double number) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return std::string(text, end);
}

/// Describes what a key's value must be; for a table, with its keys.
std::string wanted_text(const Key& key) {
    std::string text(type_text(key.type));
    if (key.type == KeyType::integer && key.least > -1e300) text += ", at least " + plain(key.least);
    if (key.type == KeyType::table && key.unit.starts_with("{")) text += " " + std::string(key.unit);
    return text;
}

/// Where a table with `from` and `to` is expected: the table to write instead of a list of two numbers, or its form.
std::string range_text(const Entry& entry, const Key& key) {
    if (!key.unit.starts_with("{ from")) return "";
    std::string form = "a range is written " + entry.key + " = { from = 0, to = 1023 }";
    const std::vector<Value>* ends = entry.value.list();
    if (ends == nullptr || ends->size() != 2) return form;
    for (const Value& end : *ends)
        if (!end.is_number() || end.text.empty()) return form;
    const bool is_reversed = ends->back().number() < ends->front().number();
    const Value &from = is_reversed ? ends->back() : ends->front(), &to = is_reversed ? ends->front() : ends->back();
    return "write " + entry.key + " = { from = " + from.text + ", to = " + to.text + " }";
}

/// For one table where a list of tables is expected: the form to write instead, `[[claim]]` in place of `[claim]`.
std::string tables_text(const Entry& entry, const Key& key) {
    const std::string_view meaning = key.meaning;
    const std::size_t begin = meaning.find("[[");
    if (begin == std::string_view::npos || entry.value.entries() == nullptr) return "";
    return "write " + std::string(meaning.substr(begin, meaning.find("]]") + 2 - begin)) + ", with two brackets";
}

/// What to write in place of a value of another type.
std::string rewritten(const Entry& entry, const Key& key) {
    const std::string range = range_text(entry, key);
    return range.empty() ? tables_text(entry, key) : range;
}

void check_value(const Entry& entry, const Key& key, Problems& problems) {
    const Value& value = entry.value;
    if (!has_type(value, key.type)) {
        const bool is_fraction = key.type == KeyType::integer && value.is_number() && !value.text.empty();
        problems.add(value.place,
                     "'" + entry.key + "' is " + (is_fraction ? value.text : std::string(value.type_name())),
                     wanted_text(key), rewritten(entry, key));
        return;
    }
    if (value.entries() && value.entries()->list.empty() && !key.may_be_empty) {
        problems.add(value.place, "'" + entry.key + "' is empty",
                     key.unit.empty() ? "at least one value" : std::string(key.unit),
                     key.required ? "" : "or no '" + entry.key + "'");
        return;
    }
    if (!key.choices.empty() && value.string()) {
        const std::vector<std::string> choices = choices_of(key);
        if (std::find(choices.begin(), choices.end(), *value.string()) == choices.end()) {
            problems.add(value.place, "'" + entry.key + "' cannot be '" + *value.string() + "'", "",
                         known_here(*value.string(), choices));
        }
    }
    const std::string* text = key.type == KeyType::text && key.choices.empty() ? value.string() : nullptr;
    if (text && is_blank(*text)) problems.add(value.place, "'" + entry.key + "' is empty", "a text");
    const bool bounded = key.type == KeyType::number || key.type == KeyType::integer;
    if (bounded && !(value.number() >= key.least && value.number() <= key.most)) {
        const bool below = value.number() < key.least;
        const bool is_finite = std::isfinite(value.number());
        problems.add(value.place, "'" + entry.key + "' is " + (value.text.empty() ? plain(value.number()) : value.text),
                     !is_finite ? "a finite number"
                     : below    ? "at least " + plain(key.least)
                                : "at most " + plain(key.most));
    }
}

const Key* find_key(const KeyTables& keys, std::string_view name) {
    for (const auto& table : keys) {
        for (const Key& key : table)
            if (key.name == name) return &key;
    }
    return nullptr;
}

void report_unknown(const Entry& entry, const KeyTables& keys, const std::vector<std::string>& absent,
                    Problems& problems) {
    std::string hint;
    if (!problems.is_full()) {
        std::vector<std::string> names;
        for (const auto& table : keys) {
            for (const Key& key : table) names.emplace_back(key.name);
        }
        hint = known_here(entry.key, names, absent);
    }
    problems.add(entry.key_place, "unknown key '" + entry.key + "'", "", hint);
}

}  // namespace

std::vector<std::string> choices_of(const Key& key) {
    std::vector<std::string> parts;
    std::string_view choices = key.choices;
    while (!choices.empty()) {
        const std::size_t bar = choices.find('|');
        parts.emplace_back(choices.substr(0, bar));
        choices = bar == std::string_view::npos ? std::string_view() : choices.substr(bar + 1);
    }
    return parts;
}

void check_keys(const Entries& entries, const KeyTables& keys, const Place& owner, Problems& problems) {
    const std::vector<std::string> absent = absent_keys(entries, keys);
    std::vector<std::string> meant;
    for (const Entry& entry : entries.list) {
        if (const Key* known = find_key(keys, entry.key)) {
            check_value(entry, *known, problems);
            continue;
        }
        report_unknown(entry, keys, absent, problems);
        if (!problems.is_full()) meant.push_back(misspelt_key(entry.key, keys, absent));
    }
    for (const auto& table : keys) {
        for (const Key& key : table) {
            if (!key.required || entries.find(key.name)) continue;
            if (std::find(meant.begin(), meant.end(), key.name) != meant.end()) continue;
            problems.add(owner, "the key '" + std::string(key.name) + "' is missing", std::string(type_text(key.type)),
                         std::string(key.meaning));
        }
    }
}

std::vector<std::string> absent_keys(const Entries& entries, const KeyTables& keys) {
    std::vector<std::string> names;
    for (const bool required : {true, false}) {
        for (const auto& table : keys) {
            for (const Key& key : table)
                if (key.required == required && !entries.find(key.name)) names.emplace_back(key.name);
        }
    }
    return names;
}

std::string misspelt_key(std::string_view key, const KeyTables& keys, const std::vector<std::string>& absent) {
    return find_key(keys, key) ? std::string() : nearest_name(key, absent);
}

void correct_keys(Entries& entries, const KeyTables& keys, Problems& problems) {
    std::vector<std::string> absent = absent_keys(entries, keys);
    for (Entry& entry : entries.list) {
        if (problems.is_full()) return;
        const Key* meant = find_key(keys, misspelt_key(entry.key, keys, absent));
        if (!meant || !has_type(entry.value, meant->type)) continue;
        report_unknown(entry, keys, absent, problems);
        entry.key = meant->name;
        std::erase(absent, entry.key);
    }
}

Entries corrected(Entries entries, const KeyTables& keys, Problems& problems) {
    correct_keys(entries, keys, problems);
    return entries;
}

std::optional<double> read_number(const Entries& entries, std::string_view key) {
    const Entry* entry = entries.find(key);
    if (!entry || !entry->value.is_number()) return std::nullopt;
    return entry->value.number();
}

std::optional<long long> read_integer(const Entries& entries, std::string_view key) {
    const Entry* entry = entries.find(key);
    const auto* integer = entry ? std::get_if<long long>(&entry->value.data) : nullptr;
    return integer ? std::optional(*integer) : std::nullopt;
}

std::optional<bool> read_boolean(const Entries& entries, std::string_view key) {
    const Entry* entry = entries.find(key);
    const bool* value = entry ? entry->value.boolean() : nullptr;
    return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::string> read_text(const Entries& entries, std::string_view key) {
    const Entry* entry = entries.find(key);
    const std::string* value = entry ? entry->value.string() : nullptr;
    return value ? std::optional(*value) : std::nullopt;
}

namespace {

/// A fallback as a number of the type.
template <class Number>
Number parsed(const Key& key) {
    Number number{};
    const char* end = key.fallback.data() + key.fallback.size();
    const auto [rest, error] = std::from_chars(key.fallback.data(), end, number);
    if (error != std::errc() || rest != end)
        throw PreconditionError("Settings", key.name, key.fallback, "a fallback that is a number");
    return number;
}

}  // namespace

const Key& Settings::row(std::string_view key, KeyType type) const {
    for (const Key& each : keys_)
        if (each.name == key && each.type == type && !each.fallback.empty()) return each;
    throw PreconditionError("Settings", "key", key, "a key whose row has this type and a fallback");
}

double Settings::number(std::string_view key) const {
    const Key& found = row(key, KeyType::number);
    const auto given = read_number(*entries_, key);
    return given ? *given : parsed<double>(found);
}

long long Settings::integer(std::string_view key) const {
    const Key& found = row(key, KeyType::integer);
    const auto given = read_integer(*entries_, key);
    return given ? *given : parsed<long long>(found);
}

std::size_t Settings::count(std::string_view key) const {
    const Key& found = row(key, KeyType::integer);
    const auto given = read_integer(*entries_, key);
    return given && *given >= 0 ? static_cast<std::size_t>(*given) : parsed<std::size_t>(found);
}

bool Settings::boolean(std::string_view key) const {
    const Key& found = row(key, KeyType::boolean);
    if (found.fallback != "true" && found.fallback != "false")
        throw PreconditionError("Settings", key, found.fallback, "a fallback of true or false");
    return read_boolean(*entries_, key).value_or(found.fallback == "true");
}

std::string Settings::text(std::string_view key) const {
    const Key& found = row(key, KeyType::text);
    return read_text(*entries_, key).value_or(std::string(found.fallback));
}

std::vector<std::string> read_texts(const Entries& entries, std::string_view key, Problems& problems) {
    std::vector<std::string> texts;
    const Entry* entry = entries.find(key);
    if (!entry) return texts;
    if (const std::string* single = entry->value.string()) return {*single};
    const List* list = entry->value.list();
    if (!list) {
        problems.add(entry->value.place, "'" + std::string(key) + "' is " + std::string(entry->value.type_name()),
                     "a text or a list of texts");
        return texts;
    }
    for (const Value& value : *list) {
        if (value.string())
            texts.push_back(*value.string());
        else
            problems.add(value.place, "'" + std::string(key) + "' has " + std::string(value.type_name()) + " in it",
                         "texts");
    }
    return texts;
}

std::string document_keys(std::span<const Key> keys) {
    std::string text = "| key | type | unit | default | meaning |\n| --- | --- | --- | --- | --- |\n";
    for (const Key& key : keys) {
        std::string choices(key.choices);
        for (std::size_t bar = choices.find('|'); bar != std::string::npos; bar = choices.find('|', bar + 2)) {
            choices.replace(bar, 1, ", ");
        }
        const std::string fallback = key.required ? "required" : std::string(key.fallback);
        text += "| `" + std::string(key.name) + "` | " + std::string(type_text(key.type)) + " | " +
                std::string(key.unit) + " | " + fallback + " | " + std::string(key.meaning) +
                (choices.empty() ? "" : " (" + choices + ")") + " |\n";
    }
    return text;
}

}  // namespace farfield::core
