#include "study/correct_keys.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <farfield/claim/claim.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/study/keys.hpp>

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::KeyTables;
using core::Problems;
using core::Value;

namespace {

Entries* as_table(Value& value) {
    return std::get_if<Entries>(&value.data);
}

Entry* find_in(Entries& entries, std::string_view key) {
    for (Entry& entry : entries.list)
        if (entry.key == key) return &entry;
    return nullptr;
}

/// The table under the key; null if there is none.
Entries* changeable_table(Entries& entries, std::string_view key) {
    Entry* entry = find_in(entries, key);
    return entry ? as_table(entry->value) : nullptr;
}

/// The key tables of every kind, which apply while the kind is unknown.
KeyTables all_kinds() {
    KeyTables tables = {quantity_keys(), quantity::scheme_selection_keys()};
    for (const quantity::Kind& kind : quantity::kinds()) tables.push_back(kind.keys);
    for (const measure::Kind& kind : measure::kinds()) tables.push_back(kind.keys);
    return tables;
}

/// Adds the words of every text below the value.
void gather_words(const Value& value, std::set<std::string>& words) {
    if (const std::string* text = value.string()) {
        std::string word;
        for (const char c : *text + " ") {
            const auto byte = static_cast<unsigned char>(c);
            if (std::isalnum(byte) || c == '_') {
                word += c;
            } else if (!word.empty()) {
                words.insert(std::move(word));
                word.clear();
            }
        }
    }
    if (const core::List* list = value.list())
        for (const Value& each : *list) gather_words(each, words);
    if (const Entries* entries = value.entries())
        for (const Entry& each : entries->list) gather_words(each.value, words);
}

class Corrector {
public:
    Corrector(Entries& document, Problems& problems) : document_(document), problems_(problems) {}

    void run() {
        correct_headings();
        if (Entries* study = changeable_table(document_, "study"))
            core::correct_keys(*study, {study_keys()}, problems_);
        each("scheme", [&](Entries& item) { correct_scheme(item); });
        each("quantity", [&](Entries& item) { correct_quantity(item); });
        each("figure", [&](Entries& item) { core::correct_keys(item, {report::figure_keys()}, problems_); });
        each("model", [&](Entries& item) { correct_item(item, {model_keys()}, Params::none); });
        each("corpus", [&](Entries& item) { correct_item(item, {corpus_keys()}, Params::none); });
        each("train", [&](Entries& item) { correct_item(item, {train_keys()}, Params::some); });
        each("checkpoint", [&](Entries& item) { correct_item(item, {checkpoint_keys()}, Params::some); });
        correct_claims();
    }

private:
    enum class Params { none, some };

    template <class F>
    void each(std::string_view heading, const F& correct) {
        Entries* items = changeable_table(document_, heading);
        if (!items) return;
        for (Entry& item : items->list)
            if (Entries* settings = as_table(item.value)) correct(*settings);
    }

    /// Items under a misspelt heading are moved to the correct one.
    void correct_headings() {
        core::correct_keys(document_, {file_keys()}, problems_);
        std::map<std::string, Entry*> present;
        std::vector<std::string> names;
        for (const core::Key& key : file_keys())
            if (Entry* entry = find_in(document_, key.name)) {
                names.emplace_back(key.name);
                present[names.back()] = entry;
            }
        for (Entry& entry : document_.list) {
            const std::string near = present.contains(entry.key) ? "" : core::nearest_name(entry.key, names);
            if (near.empty()) continue;
            Entry* meant = present[near];
            if (Entries* from = as_table(entry.value), *to = as_table(meant->value); from && to) {
                for (const Entry& item : from->list)
                    if (!to->find(item.key)) to->list.push_back(item);
                from->list.clear();
            }
            core::List *from = std::get_if<core::List>(&entry.value.data),
                       *to = std::get_if<core::List>(&meant->value.data);
            if (from && to) to->insert(to->end(), from->begin(), from->end());
        }
    }

    void correct_item(Entries& item, const KeyTables& keys, Params params) {
        core::correct_keys(item, keys, problems_);
        correct_sweep(item, keys, params);
    }

    /// A swept name is a key or a parameter of a scheme or formula. A name that no text of the study uses is neither.
    void correct_sweep(Entries& item, const KeyTables& keys, Params params) {
        Entries* sweep = changeable_table(item, "sweep");
        if (!sweep) return;
        const std::vector<std::string> absent = core::absent_keys(*sweep, keys);
        for (Entry& axis : sweep->list) {
            if (problems_.is_full()) return;
            const std::string meant = core::misspelt_key(axis.key, keys, absent);
            if (meant.empty() || (params == Params::some && words().contains(axis.key))) continue;
            std::vector<std::string> known;
            for (const auto& table : keys)
                for (const core::Key& key : table) known.emplace_back(key.name);
            problems_.add(axis.key_place, "unknown key '" + axis.key + "'", "",
                          core::known_here(axis.key, known, {meant}));
            axis.key = meant;
        }
    }

    const std::set<std::string>& words() {
        if (words_) return *words_;
        words_.emplace();
        const scheme::Registry& schemes = scheme::Registry::builtin();
        for (const std::string& scheme : schemes.names())
            for (const auto& [name, text] : schemes.find(scheme)->params) words_->insert(name);
        for (const Entry& entry : document_.list) gather_words(entry.value, *words_);
        return *words_;
    }

    void correct_scheme(Entries& item) {
        correct_item(item, {scheme::scheme_keys()}, Params::some);
        correct_part(item, "embed", scheme::embed_keys());
        correct_part(item, "rotate", scheme::rotate_keys());
        if (Entries* rotate = changeable_table(item, "rotate")) correct_part(*rotate, "far", scheme::far_keys());
        correct_part(item, "relative", scheme::relative_keys());
        for (const char* piece : {"bias", "mask", "temperature"}) correct_part(item, piece, scheme::piece_keys());
        Entries* learn = changeable_table(item, "learn");
        if (!learn) return;
        for (Entry& name : learn->list)
            if (Entries* settings = as_table(name.value))
                core::correct_keys(*settings, {scheme::learn_keys()}, problems_);
    }

    void correct_part(Entries& item, std::string_view key, std::span<const core::Key> keys) {
        if (Entries* part = changeable_table(item, key)) core::correct_keys(*part, {keys}, problems_);
    }

    void correct_quantity(Entries& item) {
        correct_kind(item);
        const KeyTables keys = quantity_tables(item);
        if (keys.empty()) return;
        const quantity::Kind* kind = quantity::find_kind(core::read_text(item, "kind").value_or(""));
        correct_item(item, keys, kind && kind->takes_scheme ? Params::some : Params::none);
        // The quantities of an optimum.
        Entries* inner = changeable_table(item, "quantities");
        if (!inner) return;
        for (Entry& each : inner->list) {
            Entries* settings = as_table(each.value);
            if (!settings) continue;
            correct_kind(*settings);
            KeyTables tables = quantity_tables(*settings);
            if (tables.empty()) continue;
            tables.front() = kind_key();
            core::correct_keys(*settings, tables, problems_);
        }
    }

    /// The kind determines which other keys are allowed.
    void correct_kind(Entries& item) {
        static const KeyTables kinds = all_kinds();
        if (item.find("kind")) return;
        const std::vector<std::string> absent = core::absent_keys(item, kinds);
        for (Entry& entry : item.list) {
            // Few keys are similar to `kind`; the others need not be compared with the keys of every kind.
            if (!entry.value.string() || core::nearest_name(entry.key, {"kind"}).empty()) continue;
            if (core::misspelt_key(entry.key, kinds, absent) != "kind") continue;
            Entries alone;
            alone.list.push_back(entry);
            core::correct_keys(alone, {quantity_keys()}, problems_);
            entry.key = "kind";
            return;
        }
    }

    static std::span<const core::Key> kind_key() {
        const auto keys = quantity_keys();
        const auto kind =
            std::find_if(keys.begin(), keys.end(), [](const core::Key& key) { return key.name == "kind"; });
        return keys.subspan(static_cast<std::size_t>(kind - keys.begin()), 1);
    }

    void correct_claims() {
        Entry* entry = find_in(document_, "claim");
        auto* claims = entry ? std::get_if<core::List>(&entry->value.data) : nullptr;
        for (Value& claim : claims ? *claims : no_list_) {
            Entries* own = as_table(claim);
            if (!own) continue;
            core::correct_keys(*own, {claim::claim_keys()}, problems_);
            Entry* readings = find_in(*own, "reading");
            auto* list = readings ? std::get_if<core::List>(&readings->value.data) : nullptr;
            for (Value& reading : list ? *list : no_list_)
                if (Entries* settings = as_table(reading))
                    core::correct_keys(*settings, {claim::reading_keys()}, problems_);
        }
    }

    Entries& document_;
    Problems& problems_;
    core::List no_list_;
    std::optional<std::set<std::string>> words_;
};

}  // namespace

KeyTables quantity_tables(const Entries& quantity) {
    const std::string name = core::read_text(quantity, "kind").value_or("");
    if (const quantity::Kind* kind = quantity::find_kind(name)) {
        KeyTables tables = {quantity_keys(), kind->keys};
        if (kind->takes_scheme) tables.push_back(quantity::scheme_selection_keys());
        return tables;
    }
    const measure::Kind* trained = measure::find_kind(name);
    return trained ? KeyTables{quantity_keys(), trained->keys} : KeyTables{};
}

void correct_keys(Entries& document, Problems& problems) {
    Corrector(document, problems).run();
}

}  // namespace farfield::study
