#include "study/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <farfield/formula/names.hpp>

#include "numerics/parallel.hpp"
#include "numerics/progression.hpp"
#include "quantity/grid.hpp"

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::Problems;
using core::Value;

namespace {

std::string label_of(const Value& value) {
    if (const bool* truth = value.boolean()) return *truth ? "true" : "false";
    if (const std::string* text = value.string()) return *text;
    if (!value.text.empty()) return value.text;
    return numerics::rational_text(numerics::shortest_decimal(value.number()));
}

/// The number of values of one key of the sweep, and the values, which are not created before they are counted.
struct Axis {
    std::string key;
    double count = 0;
    const core::List* list = nullptr;
    core::List kept;  ///< in place of a list with a problem: its valid entries
    numerics::Progression range;
    core::Place place;
    core::Place key_place;

    Value at(std::size_t index) const {
        if (!kept.empty()) return kept[index];
        if (list) return (*list)[index];
        const numerics::Rational number = range.exact(index);
        const std::string text = numerics::rational_text(number);
        const std::optional<std::int64_t> integer = numerics::counted(number);
        if (integer) return {static_cast<long long>(*integer), place, text};
        return {numerics::nearest(number), place, text};
    }
};

std::optional<Axis> read_range(const Entry& entry, const Entries& table, Problems& problems) {
    static const core::Key keys[] = {
        {.name = "from", .type = core::KeyType::number, .required = true, .meaning = "the first value"},
        {.name = "to", .type = core::KeyType::number, .required = true, .meaning = "the last value"},
        {.name = "step", .type = core::KeyType::number, .meaning = "from one to the next; 1 if absent"},
    };
    const Entries range = core::corrected(table, {keys}, problems);
    core::check_keys(range, {keys}, entry.value.place, problems);
    const auto exact = [&](std::string_view key) {
        const Entry* number = range.find(key);
        return number && number->value.is_number() ? quantity::exact_number(number->value) : std::nullopt;
    };
    const auto from = exact("from");
    const auto to = exact("to");
    const auto step = range.find("step") ? exact("step") : numerics::Rational(1);
    if (!range.find("from") || !range.find("to")) return std::nullopt;
    const bool is_range = from && to && step && *step > 0 && *from <= *to;
    if (!is_range) {
        problems.add(entry.value.place, "the sweep over '" + entry.key + "' is empty", "from <= to and step > 0");
        return std::nullopt;
    }
    if (*from == *to) {
        problems.add(entry.value.place,
                     "the sweep over '" + entry.key + "' is a range of one value, " + range.find("from")->value.text,
                     "a larger end, or a list of the value");
        return std::nullopt;
    }
    const numerics::Rational steps = (*to - *from) / *step;
    if (boost::multiprecision::denominator(steps) != 1) {
        const auto last = [&](double end) {
            return numerics::rational_text(numerics::Rational(*from + numerics::exactly(end) * *step));
        };
        const double whole = std::floor(numerics::nearest(steps));
        problems.add(entry.value.place,
                     "the sweep over '" + entry.key + "' does not reach its end, " + range.find("to")->value.text,
                     "to = " + last(whole) + " or to = " + last(whole + 1));
        return std::nullopt;
    }
    const double count = std::floor(numerics::nearest(numerics::Rational((*to - *from) / *step))) + 1;
    const auto values = numerics::Progression::between(*from, *to, *step).value_or(numerics::Progression());
    const double known = values.count() > 0 ? static_cast<double>(values.count()) : count;
    return Axis{entry.key, known, nullptr, {}, values, entry.value.place, entry.key_place};
}

/// The same for equal values with different texts, such as 1 and 1.0.
std::string identity_of(const Value& value) {
    const auto exact = value.is_number() ? quantity::exact_number(value) : std::nullopt;
    return exact ? exact->str() : label_of(value);
}

/// The name of an item states the value of every swept key, and every key is searched in the item's settings.
constexpr std::size_t most_axes = 100;

/// Reports repeated values, with which two items would have the same name or value.
bool has_repeated_value(const Entry& entry, const core::List& list, Problems& problems) {
    std::map<std::string, std::string> seen;
    for (const Value& value : list) {
        const std::string label = label_of(value);
        const auto [earlier, is_new] = seen.emplace(identity_of(value), label);
        if (is_new) continue;
        const std::string again = earlier->second == label ? "" : ", once as " + label;
        problems.add(value.place,
                     "the sweep over '" + entry.key + "' has the value " + earlier->second + " twice" + again,
                     "each value once");
        return true;
    }
    return false;
}

/// Replaces an axis with a problem. Its name has a value, so that its uses cause no second problem.
Axis stand_in(const Entry& entry) {
    const Value& place = entry.value;
    core::List kept;
    kept.push_back({1LL, place.place, "1"});
    if (const core::List* list = place.list();
        list && !list->empty() && !list->front().list() && !list->front().entries())
        kept = {list->front()};
    return Axis{entry.key, 1, nullptr, std::move(kept), {}, place.place, entry.key_place};
}

std::optional<Axis> read_axis(const Entry& entry, Problems& problems) {
    if (const Entries* range = entry.value.entries()) return read_range(entry, *range, problems);
    const core::List* list = entry.value.list();
    if (!list) {
        problems.add(entry.value.place, "the sweep over '" + entry.key + "' is " + std::string(entry.value.type_name()),
                     "a list of values, or { from, to, step }");
        return std::nullopt;
    }
    if (list->empty()) {
        problems.add(entry.value.place, "the sweep over '" + entry.key + "' is empty", "at least one value");
        return std::nullopt;
    }
    for (const Value& value : *list) {
        if (value.list() || value.entries()) {
            problems.add(value.place,
                         "a value of the sweep over '" + entry.key + "' is " + std::string(value.type_name()),
                         "a number, a text or a boolean");
            return std::nullopt;
        }
        if (value.is_number() && !std::isfinite(value.number())) {
            problems.add(value.place, "a value of the sweep over '" + entry.key + "' is " + value.text,
                         "a finite number");
        }
    }
    core::List kept;
    if (has_repeated_value(entry, *list, problems)) kept = {list->front()};
    const double count = static_cast<double>(kept.empty() ? list->size() : kept.size());
    return Axis{entry.key, count, list, kept, {}, entry.value.place, entry.key_place};
}

/// The duration of a sweep if each item takes only a thousandth of a second.
std::string duration_text(double items) {
    const double seconds = items * 1e-3;
    if (seconds < 7200) return fmt::format("{:.0f} minutes", seconds / 60);
    if (seconds < 172800) return fmt::format("{:.0f} hours", seconds / 3600);
    return fmt::format("{:.0f} days", seconds / 86400);
}

std::vector<Point> product(const std::vector<Axis>& axes) {
    std::vector<Point> points(1);
    for (const Axis& axis : axes) {
        std::vector<Point> longer;
        for (const Point& point : points) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(axis.count); ++i) {
                Point next = point;
                const Value value = axis.at(i);
                next.label += (next.label.empty() ? "" : ",") + axis.key + "=" + label_of(value);
                next.values.push_back({axis.key, axis.key_place, value});
                longer.push_back(std::move(next));
            }
        }
        points = std::move(longer);
    }
    return points;
}

void set_entry(Entries& entries, const Entry& set) {
    for (Entry& entry : entries.list) {
        if (entry.key == set.key) {
            entry.value = set.value;
            return;
        }
    }
    entries.list.push_back(set);
}

}  // namespace

std::vector<Point> points_of(const Entries& item, Problems& problems) {
    const Entry* sweep = item.find("sweep");
    const Entries* table = sweep ? sweep->value.entries() : nullptr;
    if (sweep && !table) {
        problems.add(sweep->value.place, "'sweep' is " + std::string(sweep->value.type_name()),
                     "a table: sweep = { w = [40, 80] }");
    }
    if (!table) return std::vector<Point>(1);
    if (table->empty()) problems.add(sweep->value.place, "'sweep' names no key", "sweep = { w = [40, 80] }");
    if (table->list.size() > most_axes) {
        problems.add(sweep->key_place, fmt::format("a sweep over {} keys", table->list.size()),
                     fmt::format("at most {}", most_axes));
        return std::vector<Point>(1);
    }
    std::vector<Axis> axes;
    double count = 1;
    for (const Entry& entry : table->list) {
        if (entry.key == "kind" || entry.key == "doc" || entry.key == "label" || entry.key == "sweep") {
            problems.add(entry.key_place, "'" + entry.key + "' cannot be swept",
                         "a key that changes what is computed, or a parameter of the scheme");
            continue;
        }
        axes.push_back(read_axis(entry, problems).value_or(stand_in(entry)));
        count *= axes.back().count;
    }
    if (count > static_cast<double>(most_items)) {
        problems.add(sweep->key_place, fmt::format("a sweep of {:.10g} items", count),
                     fmt::format("at most {}", most_items),
                     fmt::format("At a thousandth of a second each it would take {}.", duration_text(count)));
        return std::vector<Point>(1);
    }
    return product(axes);
}

std::string item_name(const std::string& base, const std::string& label) {
    return label.empty() ? base : base + "[" + label + "]";
}

Entries at_point(const Entries& item, const Point& point, const std::function<bool(const std::string&)>& is_key) {
    Entries settings;
    for (const Entry& entry : item.list) {
        if (entry.key != "sweep") settings.list.push_back(entry);
    }
    for (const Entry& value : point.values) {
        if (is_key(value.key)) {
            set_entry(settings, value);
            continue;
        }
        const Entry* present = settings.find("params");
        if (present && !present->value.entries()) continue;  // its type is reported with those of the other keys
        Entries params = present && present->value.entries() ? *present->value.entries() : Entries{};
        set_entry(params, value);
        set_entry(settings, {"params", value.key_place, {params, value.key_place, {}}});
    }
    return settings;
}

void check_label(const Expanded& item, Problems& problems) {
    const Entry* entry = item.settings.find("label");
    const std::string* label = entry ? entry->value.string() : nullptr;
    if (!label) return;
    for (std::size_t open = label->find('{'); open != std::string::npos; open = label->find('{', open + 1)) {
        const std::size_t close = label->find('}', open);
        const std::string key = label->substr(open + 1, std::min(close, label->size()) - open - 1);
        if (close == std::string::npos && formula::is_name(key)) {
            problems.add(entry->value.place, "the label '" + *label + "' lacks a brace", "'{" + key + "}'");
            return;
        }
        const bool is_swept = item.name.find("[" + key + "=") != std::string::npos ||
                              item.name.find("," + key + "=") != std::string::npos;
        const std::string name = key.substr(0, key.find_first_of(":!"));
        if (is_swept || !formula::is_name(name)) continue;
        if (name != key) {
            problems.add(entry->value.place, "'{" + key + "}' of the label has a format",
                         "'{" + name + "}', the value as written");
            return;
        }
        problems.add(entry->value.place,
                     "'{" + key + "}' of the label: '" + item.name + "' is not swept over '" + key + "'",
                     "a key of its sweep");
        return;
    }
}

Expander::Expander(const Entries& items, std::vector<std::string> references, Problems& problems)
    : items_(items), references_(std::move(references)), problems_(problems) {}

void Expander::know(const std::string& key, const std::map<std::string, std::vector<std::string>>& labels) {
    known_[key] = labels;
}

const std::vector<std::string>* Expander::labels_behind(const std::string& key, const std::string& name) {
    const auto elsewhere = known_.find(key);
    if (elsewhere != known_.end()) {
        const auto found = elsewhere->second.find(name);
        if (found != elsewhere->second.end()) return &found->second;
    }
    const bool refers = std::find(references_.begin(), references_.end(), key) != references_.end();
    const Entry* item = refers ? items_.find(name) : nullptr;
    return item && item->value.entries() ? &labels_of(*item) : nullptr;
}

Expander::Inherited Expander::inherited(const Entry& item) {
    Inherited result;
    std::vector<std::string> keys = references_;
    for (const auto& [key, labels] : known_) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    for (const std::string& key : keys) {
        const Entry* entry = item.value.entries()->find(key);
        const std::string* name = entry ? entry->value.string() : nullptr;
        const std::vector<std::string>* labels = name ? labels_behind(key, *name) : nullptr;
        if (!labels || labels->empty()) continue;
        if (!result.keys.empty() && result.labels != *labels) {
            problems_.add(entry->value.place,
                          "'" + *name + "' is swept over other values than '" + result.keys.front() + "' is",
                          "one item of it: " + item_name(*name, labels->front()));
            continue;
        }
        result.keys.push_back(key);
        result.labels = *labels;
    }
    return result;
}

const std::vector<std::string>& Expander::labels_of(const Entry& item) {
    const auto known = labels_.find(item.key);
    if (known != labels_.end()) return known->second;
    static const std::vector<std::string> none;
    if (std::find(open_.begin(), open_.end(), item.key) != open_.end()) return none;
    open_.push_back(item.key);
    Inherited from = inherited(item);
    const std::vector<Point> points = points_of(*item.value.entries(), problems_);
    open_.pop_back();
    std::vector<std::string> labels;
    const std::vector<std::string> outer = from.labels.empty() ? std::vector<std::string>{""} : from.labels;
    const double count = static_cast<double>(outer.size()) * static_cast<double>(points.size());
    if (count > static_cast<double>(most_items)) {
        problems_.add(item.key_place, fmt::format("'{}' becomes {:.10g} items", item.key, count),
                      fmt::format("at most {}", most_items));
        return labels_[item.key];
    }
    for (const std::string& inherited_label : outer) {
        for (const Point& point : points) {
            const bool joined = !inherited_label.empty() && !point.label.empty();
            const std::string label = inherited_label + (joined ? "," : "") + point.label;
            if (!label.empty()) labels.push_back(label);
        }
    }
    points_[item.key] = points;
    inherited_[item.key] = std::move(from);
    return labels_[item.key] = labels;
}

std::vector<Expanded> Expander::expand(const IsKey& is_key) {
    std::vector<Expanded> expanded;
    for (const Entry& item : items_.list) {
        const Entries* settings = item.value.entries();
        if (!settings) continue;
        const std::vector<std::string>& labels = labels_of(item);
        const auto points = points_.find(item.key);
        if (points == points_.end()) continue;
        const Inherited& from = inherited_[item.key];
        const std::size_t outer = from.labels.empty() ? 1 : from.labels.size();
        count_ += outer * points->second.size();
        if (count_ > most_items) {
            problems_.add(item.key_place, fmt::format("the study declares {} items by here", count_),
                          fmt::format("at most {}", most_items));
            break;
        }
        const auto has_key = [&](const std::string& key) { return is_key(*settings, key); };
        const std::size_t first = expanded.size();
        const std::size_t inner = points->second.size();
        expanded.resize(first + outer * inner);
        numerics::in_parallel(outer * inner, 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; ++at) {
                Entries own = at_point(*settings, points->second[at % inner], has_key);
                for (const std::string& key : from.keys) {
                    Value reference = own.find(key)->value;
                    reference.data = item_name(*reference.string(), from.labels[at / inner]);
                    set_entry(own, {key, reference.place, reference});
                }
                const std::string label = labels.empty() ? "" : labels[at];
                expanded[first + at] = {item_name(item.key, label), item.key, std::move(own), item.key_place};
            }
        });
    }
    return expanded;
}

}  // namespace farfield::study
