#include "study/effect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/report/report.hpp>
#include <farfield/study/keys.hpp>

#include "numerics/rational.hpp"
#include "quantity/grid.hpp"
#include "scheme/effect.hpp"
#include "study/cache.hpp"
#include "study/correct_keys.hpp"

namespace farfield::study {

namespace {

using core::Entries;
using core::Entry;
using core::Problems;

/// The name without the values of a sweep.
std::string base_of(const std::string& name) {
    return name.substr(0, name.find('['));
}

void for_each_text(const core::Value& value, const std::function<void(const std::string&)>& use) {
    if (const std::string* text = value.string()) use(*text);
    if (const core::List* list = value.list())
        for (const core::Value& each : *list) for_each_text(each, use);
    if (const Entries* entries = value.entries())
        for (const Entry& each : entries->list) for_each_text(each.value, use);
}

/// A number of a key table's fallback, as in `0.05`; nothing for a text about it.
std::optional<double> number_of(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string_view word_of(std::string_view heading) {
    return heading == "train" ? "training" : heading;
}

/// Whether the value is what the key has without it.
bool is_fallback(const Entry& entry, const core::KeyTables& tables) {
    for (const auto& table : tables)
        for (const core::Key& key : table) {
            if (key.name != entry.key || key.fallback.empty()) continue;
            if (const bool* truth = entry.value.boolean()) return key.fallback == (*truth ? "true" : "false");
            if (const std::string* text = entry.value.string()) return key.fallback == *text;
            return entry.value.is_number() && number_of(key.fallback) == entry.value.number();
        }
    return false;
}

core::KeyTables tables_of(std::string_view heading, const Entries& settings) {
    if (heading == "quantity") return quantity_tables(settings);
    if (heading == "train") return {train_keys()};
    return {heading == "figure" ? report::figure_keys() : checkpoint_keys()};
}

/// What does not change the meaning of a value: spaces of formulas, `from = 0` and `step = 1` of a range. In data, such
/// as the names of files and params, everything counts.
enum class Content { data, formulas, range, ranges };

Content content_of(const std::string& key, const core::KeyTables& tables) {
    if (key == "params") return Content::data;
    if (key == "over" || key == "sweep") return Content::ranges;
    if (key == "masks" || key == "let") return Content::formulas;
    for (const auto& table : tables)
        for (const core::Key& row : table) {
            if (row.name != key) continue;
            if (row.unit.starts_with("{ from")) return Content::range;
            return row.type == core::KeyType::formula || row.type == core::KeyType::table ? Content::formulas
                                                                                          : Content::data;
        }
    return Content::data;
}

/// The value without zeros at the end of decimals and without what does not change its meaning.
core::Value plain(core::Value value, Content content) {
    if (value.is_number())
        if (const auto exact = quantity::exact_number(value)) value.text = numerics::rational_text(*exact);
    if (const std::string* text = value.string(); text && content == Content::formulas) {
        std::string dense = *text;
        std::erase(dense, ' ');
        value.data = std::move(dense);
    }
    if (const core::List* list = value.list()) {
        core::List plain_list;
        for (const core::Value& each : *list) plain_list.push_back(plain(each, content));
        value.data = std::move(plain_list);
    }
    if (const Entries* entries = value.entries()) {
        Entries all = *entries;
        std::erase_if(all.list, [&](const Entry& each) {
            const bool is_first = each.key == "from" && each.value.number() == 0;
            const bool is_step = each.key == "step" && each.value.number() == 1;
            return content == Content::range && each.value.is_number() && (is_first || is_step);
        });
        const Content inside = content == Content::ranges ? Content::range : content;
        for (Entry& each : all.list) each.value = plain(std::move(each.value), inside);
        value.data = std::move(all);
    }
    return value;
}

class EffectCheck {
public:
    EffectCheck(const Study::Body& body, Problems& problems) : body_(body), problems_(problems) {}

    void run() {
        if (is_empty()) return;
        check_references();
        check_fits();
        // A value of --set may leave a part of the file unused.
        if (!body_.set.empty()) return;
        check_used();
        check_tables();
        for (const char* heading : {"train", "checkpoint", "figure"})
            check_repeated(body_.document, heading, problems_);
    }

private:
    bool is_empty() {
        for (const char* heading : {"quantity", "train", "checkpoint", "figure"})
            if (!table_under(body_.document, heading).list.empty()) return false;
        if (!body_.claims.empty()) return false;
        core::Place place;
        place.file = body_.found.file;
        if (const Entry* study = body_.document.find("study")) place = study->key_place;
        problems_.add(place, "the study computes nothing", "a [quantity.NAME] or a [[claim]]");
        return true;
    }

    static constexpr const char* parts[] = {"scheme", "model", "corpus", "train", "checkpoint"};

    /// The schemes, models, corpora and trainings that the items name, directly or indirectly.
    std::set<const Entry*> reached_from(std::vector<const Entry*> open) {
        std::set<const Entry*> reached;
        while (!open.empty()) {
            const Entry* item = open.back();
            open.pop_back();
            for_each_text(item->value, [&](const std::string& text) {
                for (const char* heading : parts) {
                    const Entry* found = table_under(body_.document, heading).find(base_of(text));
                    if (found && found != item && reached.insert(found).second) open.push_back(found);
                }
            });
        }
        return reached;
    }

    /// Reports what no quantity, training or checkpoint uses and nothing else names. A training may be unused, because
    /// its model is a result.
    void check_used() {
        std::vector<const Entry*> results;
        for (const char* heading : {"quantity", "train", "checkpoint"})
            for (const Entry& item : table_under(body_.document, heading).list) results.push_back(&item);
        const std::set<const Entry*> used = reached_from(results);
        for (const char* heading : {"scheme", "model", "corpus"}) {
            for (const Entry& item : table_under(body_.document, heading).list) {
                if (used.contains(&item) || is_named(item)) continue;
                problems_.add(
                    item.key_place,
                    fmt::format("the {} '{}' is unused: no quantity or training depends on it", heading, item.key),
                    "a quantity or training that uses it, or a study without it");
            }
        }
    }

    bool is_named(const Entry& item) {
        for (const char* heading : parts)
            for (const Entry& other : table_under(body_.document, heading).list)
                if (&other != &item && reached_from({&other}).contains(&item)) return true;
        return false;
    }

    /// A table has numbers of the study itself, which something must read. If the study has nothing else, the table is
    /// its result.
    void check_tables() {
        if (body_.items.size() < 2) return;
        std::set<std::string> read;
        for (const Item& item : body_.items) read.insert(item.needs.begin(), item.needs.end());
        for (const claim::Claim& claim : body_.claims)
            for (const std::string& name : claim::quantities_of(claim)) read.insert(name);
        for (const auto& names : body_.figure_needs) read.insert(names.begin(), names.end());
        for (const Item& item : body_.items)
            if (item.kind == "table" && !read.contains(item.name))
                problems_.add(item.place, fmt::format("the table '{}' is unused: nothing reads it", item.name),
                              "a claim, quantity or figure that reads it");
    }

    /// A quantity of another quantity refers to it by a name, which must not also be the name of a training.
    void check_references() {
        const Entries& quantities = table_under(body_.document, "quantity");
        for (const Item& item : body_.items) {
            if (item.measured) continue;
            for (const char* key : {"of", "a", "b"}) {
                const Entry* entry = item.settings.find(key);
                const std::string* name = entry ? entry->value.string() : nullptr;
                if (!name || !quantities.find(base_of(*name))) continue;
                for (const char* heading : {"train", "checkpoint"})
                    if (table_under(body_.document, heading).find(base_of(*name)))
                        problems_.add(entry->value.place,
                                      fmt::format("'{}' is a quantity and a {}", *name, word_of(heading)),
                                      "names that differ");
            }
        }
    }

    /// The series of a fit has the values of its model. Fitting the same model to it gives the same fit.
    void check_fits() {
        for (const Item& item : body_.items) {
            const auto of = core::read_text(item.settings, "of");
            const auto found = of && item.kind == "fit" ? body_.index.find(*of) : body_.index.end();
            if (found == body_.index.end() || body_.items[found->second].kind != "fit") continue;
            const auto model = core::read_text(item.settings, "model");
            const auto other = core::read_text(body_.items[found->second].settings, "model");
            if (model && other && formula::equal(formula::parse(*model), formula::parse(*other)))
                problems_.add(item.settings.find("model")->value.place,
                              fmt::format("'{}' fits the model of '{}' to itself", item.name, *of), "another model");
        }
    }

    const Study::Body& body_;
    Problems& problems_;
};

/// The settings of a scheme on which its formulas depend.
std::string effective(const scheme::Scheme& scheme) {
    Entries settings = scheme.settings;
    std::erase_if(settings.list, [](const Entry& each) {
        return each.key == "doc" || each.key == "source" || each.key == "means" ||
               is_fallback(each, {scheme::scheme_keys()});
    });
    std::sort(settings.list.begin(), settings.list.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    for (Entry& each : settings.list)
        each.value = plain(std::move(each.value), each.key == "params" ? Content::data : Content::formulas);
    return canonical(settings);
}

/// Reports a scheme with the parts and params of the one that it extends.
void check_extended(const Entry& own, const scheme::Registry& known, Problems& problems) {
    const auto name = core::read_text(*own.value.entries(), "extends");
    if (!name) return;
    const scheme::Scheme* base = (*name == own.key ? scheme::Registry::builtin() : known).find(*name);
    if (base && effective(*base) == effective(*known.find(own.key)))
        problems.add(own.key_place, "'" + own.key + "' changes nothing of the scheme that it extends",
                     "a key that differs, or the other scheme where this one is used");
}

}  // namespace

void check_schemes(const Entries& schemes, const scheme::Registry& known, Problems& problems) {
    for (const Entry& each : schemes.list) {
        const scheme::Scheme* own = scheme::Registry::builtin().find(each.key);
        if (own && canonical(own->settings) == canonical(*each.value.entries())) continue;
        const std::size_t before = problems.reports();
        check_extended(each, known, problems);
        if (problems.reports() != before) continue;
        scheme::check_effect(*each.value.entries(), *known.find(each.key), each.key_place, evaluate::decide_for_all,
                             problems);
    }
}

std::string effective_settings(std::string_view heading, Entries settings) {
    std::erase_if(settings.list,
                  [](const Entry& each) { return each.key == "doc" || each.key == "label" || each.key == "title"; });
    const core::KeyTables tables = tables_of(heading, settings);
    std::erase_if(settings.list, [&](const Entry& each) { return is_fallback(each, tables); });
    // The digits of a table say how its numbers were rounded.
    if (core::read_text(settings, "kind") != "table" || heading != "quantity")
        for (Entry& each : settings.list)
            if (each.value.is_number() || heading == "quantity")
                each.value = plain(std::move(each.value), content_of(each.key, tables));
    std::sort(settings.list.begin(), settings.list.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return canonical(settings);
}

void check_repeated(const Entries& document, const char* heading, Problems& problems) {
    std::map<std::string, const Entry*> known;
    for (const Entry& item : table_under(document, heading).list) {
        const Entries settings = item.value.entries() ? *item.value.entries() : Entries{};
        const auto [first, is_new] = known.emplace(effective_settings(heading, settings), &item);
        if (!is_new)
            problems.add(
                item.key_place,
                fmt::format("the {} '{}' has the settings of '{}'", word_of(heading), item.key, first->second->key),
                "one of them, or settings that differ");
    }
}

void check_effect(const Study::Body& body, Problems& problems) {
    EffectCheck(body, problems).run();
}

}  // namespace farfield::study
