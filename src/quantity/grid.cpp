#include "quantity/grid.hpp"

#include <array>
#include <cmath>
#include <utility>

#include <farfield/formula/parser.hpp>

#include "evaluate/grid_lane.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 3> grid_keys = {
    Key{.name = "from", .type = KeyType::number, .fallback = "0", .meaning = "first value"},
    Key{.name = "to", .type = KeyType::number, .required = true, .meaning = "last value, included"},
    Key{.name = "step", .type = KeyType::number, .fallback = "1", .meaning = "distance between values"},
};

std::string text_or(const core::Entries& entries, std::string_view key, const char* fallback) {
    const core::Entry* entry = entries.find(key);
    return entry ? entry->value.text : fallback;
}

std::optional<numerics::Rational> exact_entry(const core::Entries& entries, std::string_view key, int fallback) {
    const core::Entry* entry = entries.find(key);
    return entry ? exact_number(entry->value) : numerics::Rational(fallback);
}

std::optional<Stretch> read_stretch(const core::Entry& entry, core::Problems& problems) {
    const core::List& list = *entry.value.list();
    if (list.size() != 2 || !list[0].is_number() || !list[1].is_number()) {
        problems.add(entry.value.place, "the range of '" + entry.key + "' is not a pair of numbers",
                     "[lowest, highest]");
        return std::nullopt;
    }
    const std::optional<numerics::Rational> lo = exact_number(list[0]);
    const std::optional<numerics::Rational> hi = exact_number(list[1]);
    if (!lo || !hi || *lo > *hi) {
        problems.add(entry.value.place, "the range of '" + entry.key + "' is empty or not finite", "[lowest, highest]");
        return std::nullopt;
    }
    return Stretch{entry.key, {enclosure_of(*lo).lo, enclosure_of(*hi).hi}, *lo, *hi, entry.value.place};
}

/// The table with its keys corrected and checked; nothing if a problem was reported. Keys of other languages are
/// reported alone, because `stop` may mean an end that is not included.
std::optional<core::Entries> read_range(const core::Entries& table, const core::Place& place, std::size_t count,
                                        core::Problems& problems) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> others = {{{"start", "from"},
                                                                                             {"begin", "from"},
                                                                                             {"min", "from"},
                                                                                             {"lo", "from"},
                                                                                             {"stop", "to"},
                                                                                             {"end", "to"},
                                                                                             {"max", "to"},
                                                                                             {"hi", "to"}}};
    const std::size_t before = problems.reports();
    for (const core::Entry& entry : table.list)
        for (const auto& [other, own] : others)
            if (entry.key == other)
                problems.add(entry.key_place, "unknown key '" + entry.key + "'", "the key '" + std::string(own) + "'",
                             "A range is written { from = 0, to = 1023 }, both ends included.");
    if (problems.reports() != before) return std::nullopt;
    const core::KeyTables keys = {std::span(grid_keys).first(count)};
    core::Entries entries = core::corrected(table, keys, problems);
    const std::size_t corrections = problems.reports();
    core::check_keys(entries, keys, place, problems);
    if (problems.reports() != corrections) return std::nullopt;
    return entries;
}

}  // namespace

std::optional<Grid> read_grid(const core::Value& value, std::string variable, core::Problems& problems) {
    const core::Entries* table = value.entries();
    if (!table) {
        problems.add(value.place, "found " + std::string(value.type_name()), "a table { from = 0, to = 100 }");
        return std::nullopt;
    }
    const std::optional<core::Entries> read = read_range(*table, value.place, grid_keys.size(), problems);
    if (!read) return std::nullopt;
    const core::Entries& entries = *read;
    const std::optional<numerics::Rational> from = exact_entry(entries, "from", 0);
    const std::optional<numerics::Rational> to = exact_entry(entries, "to", 0);
    const std::optional<numerics::Rational> step = exact_entry(entries, "step", 1);
    if (!step || *step <= 0) {
        problems.add(entries.find("step")->value.place, "the step is " + text_or(entries, "step", "1"),
                     "a positive number");
        return std::nullopt;
    }
    if (!from || !to || *from > *to) {
        problems.add(
            value.place,
            "the range from " + text_or(entries, "from", "0") + " to " + text_or(entries, "to", "") + " is empty",
            "from at most to, both finite");
        return std::nullopt;
    }
    if (entries.find("step") && *step > *to - *from) {
        problems.add(
            entries.find("step")->value.place,
            "the step " + text_or(entries, "step", "1") + " is larger than the range: it has one value",
            *from == *to ? "no step, or a larger range" : "a step of at most " + numerics::rational_text(*to - *from));
        return std::nullopt;
    }
    std::optional<numerics::Progression> range = numerics::Progression::between(*from, *to, *step);
    if (!range) {
        problems.add(value.place, "the range has over 2^" + std::to_string(numerics::most_count_bits) + " values",
                     "fewer");
        return std::nullopt;
    }
    return Grid{std::move(variable), *std::move(range), value.place};
}

std::optional<Grid> read_distances(const Declaration& declaration, bool required, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("distances");
    if (entry) return read_grid(entry->value, "n", problems);
    if (required)
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'distances'",
                     "distances = { from = 0, to = 8191 }");
    return std::nullopt;
}

std::vector<std::string> Over::variables() const {
    std::vector<std::string> names;
    for (const Grid& grid : grids) names.push_back(grid.variable);
    for (const Stretch& stretch : stretches) names.push_back(stretch.variable);
    return names;
}

std::optional<Over> read_over(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("over");
    if (!entry) return std::nullopt;
    const core::Entries* entries = entry->value.entries();
    if (!entries || entries->empty()) return std::nullopt;  // check_keys reports it
    Over over;
    bool is_whole = true;
    for (const core::Entry& item : entries->list) {
        if (item.value.list()) {
            auto stretch = read_stretch(item, problems);
            is_whole = is_whole && stretch;
            if (stretch) over.stretches.push_back(std::move(*stretch));
        } else {
            auto grid = read_grid(item.value, item.key, problems);
            is_whole = is_whole && grid;
            if (grid) over.grids.push_back(std::move(*grid));
        }
    }
    if (!is_whole) return std::nullopt;
    return over;
}

std::optional<Limits> read_limits(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry) return std::nullopt;
    const core::Entries* table = entry->value.entries();
    if (!table) {
        problems.add(entry->value.place, "found " + std::string(entry->value.type_name()),
                     "a table { from = 0, to = 100 }");
        return std::nullopt;
    }
    const std::optional<core::Entries> read = read_range(*table, entry->value.place, 2, problems);
    if (!read) return std::nullopt;
    const core::Entries& entries = *read;
    const std::optional<numerics::Rational> from = exact_entry(entries, "from", 0);
    const std::optional<numerics::Rational> to = exact_entry(entries, "to", 0);
    if (!from || !to || *from > *to) {
        problems.add(entry->value.place, "the range is empty", "from at most to");
        return std::nullopt;
    }
    return Limits{*from, *to, entry->value.place};
}

std::optional<core::Diagnostic> find_beyond(const Limits& limits, std::string_view variable,
                                            const numerics::Rational& first, const numerics::Rational& last) {
    const bool is_before = limits.from < first;
    if (!is_before && limits.to <= last) return std::nullopt;
    const auto text = [](const numerics::Rational& number) { return numerics::rational_text(number); };
    return core::Diagnostic{
        limits.place,
        is_before ? "the range begins at " + text(limits.from) + ", before the first point"
                  : "the range ends at " + text(limits.to) + ", after the last point",
        "a range within the points, from " + std::string(variable) + " = " + text(first) + " to " + text(last), ""};
}

std::optional<numerics::Rational> exact_number(const core::Value& number) {
    if (!number.text.empty()) return numerics::read_rational(number.text);
    const double value = number.number();
    return std::isfinite(value) ? std::optional(numerics::exactly(value)) : std::nullopt;
}

core::Enclosure enclosure_of(const numerics::Rational& value) {
    const numerics::Interval ends = numerics::enclose(value);
    return {ends.lo, ends.hi};
}

core::Cell exact_cell(const numerics::Rational& value) {
    const core::Enclosure ends = enclosure_of(value);
    if (ends.lo == ends.hi) return core::Cell::exact(ends.lo);
    return core::Cell::rationally(numerics::nearest(value), ends, numerics::rational_text(value));
}

formula::Node exact_node(const numerics::Rational& value) {
    return formula::parse(numerics::rational_text(value));
}

core::Column coordinates(std::string name, const numerics::Progression& grid) {
    return {std::move(name),
            evaluate::array_of(grid).values(),
            {},
            core::Steps{numerics::rational_text(grid.from()), numerics::rational_text(grid.step())}};
}

}  // namespace farfield::quantity
