#include "quantity/grid.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 3> grid_keys = {
    Key{.name = "from", .type = KeyType::number, .fallback = "0", .meaning = "first value"},
    Key{.name = "to", .type = KeyType::number, .required = true, .meaning = "last value, included"},
    Key{.name = "step", .type = KeyType::number, .fallback = "1", .meaning = "distance between values"},
};

constexpr double most_points = 9007199254740992.0;  // 2^53: beyond it an index is no double

std::string text_of(const core::Entries& entries, std::string_view key, const char* fallback) {
    const core::Entry* entry = entries.find(key);
    return entry ? entry->value.text : fallback;
}

std::optional<Stretch> read_stretch(const core::Entry& entry, core::Problems& problems) {
    const core::List& list = *entry.value.list();
    if (list.size() != 2 || !list[0].is_number() || !list[1].is_number()) {
        problems.add(entry.value.place, "the range of '" + entry.key + "' is no pair of numbers", "[lowest, highest]");
        return std::nullopt;
    }
    const double lo = list[0].number();
    const double hi = list[1].number();
    if (!(lo <= hi) || std::isinf(lo) || std::isinf(hi)) {
        problems.add(entry.value.place, "the range of '" + entry.key + "' is empty or not finite", "[lowest, highest]");
        return std::nullopt;
    }
    return Stretch{entry.key, {lo, hi}, entry.value.place};
}

}  // namespace

std::optional<Grid> read_grid(const core::Value& value, std::string variable, core::Problems& problems) {
    const core::Entries* entries = value.entries();
    if (!entries) {
        problems.add(value.place, "found " + std::string(value.type_name()), "a table { from = 0, to = 100 }");
        return std::nullopt;
    }
    const std::size_t problems_before = problems.size();
    core::check_keys(*entries, {grid_keys}, value.place, problems);
    const std::optional<double> to = core::read_number(*entries, "to");
    if (problems.size() != problems_before || !to) return std::nullopt;
    const double from = core::read_number(*entries, "from").value_or(0);
    const double step = core::read_number(*entries, "step").value_or(1);
    if (!(step > 0) || !std::isfinite(step)) {
        problems.add(entries->find("step")->value.place, "the step is " + text_of(*entries, "step", "1"),
                     "a positive number");
        return std::nullopt;
    }
    if (!std::isfinite(from) || !std::isfinite(*to) || from > *to) {
        problems.add(
            value.place,
            "the range from " + text_of(*entries, "from", "0") + " to " + text_of(*entries, "to", "") + " is empty",
            "from at most to, both finite");
        return std::nullopt;
    }
    // A step such as 0.1 is no double: the last point may miss `to` by the rounding of the division alone.
    const double steps = std::floor((*to - from) / step * (1 + 4 * std::numeric_limits<double>::epsilon()));
    if (!(steps < most_points)) {
        problems.add(value.place, "the range has over 2^53 values", "fewer");
        return std::nullopt;
    }
    return Grid{std::move(variable), {from, step, static_cast<std::size_t>(steps) + 1}, value.place};
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
    if (!entries || entries->empty()) {
        problems.add(entry->value.place, "'over' names no variable", "over = { x = { from = 0, to = 100 } }");
        return std::nullopt;
    }
    Over over;
    const std::size_t problems_before = problems.size();
    for (const core::Entry& item : entries->list) {
        if (item.value.list()) {
            if (auto stretch = read_stretch(item, problems)) over.stretches.push_back(std::move(*stretch));
        } else if (auto grid = read_grid(item.value, item.key, problems)) {
            over.grids.push_back(std::move(*grid));
        }
    }
    if (problems.size() != problems_before) return std::nullopt;
    return over;
}

std::optional<Limits> read_limits(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry) return std::nullopt;
    const core::Entries* entries = entry->value.entries();
    if (!entries) {
        problems.add(entry->value.place, "found " + std::string(entry->value.type_name()),
                     "a table { from = 0, to = 100 }");
        return std::nullopt;
    }
    core::check_keys(*entries, {std::span(grid_keys).first(2)}, entry->value.place, problems);
    const std::optional<double> to = core::read_number(*entries, "to");
    const double from = core::read_number(*entries, "from").value_or(0);
    if (!to) return std::nullopt;
    if (!(from <= *to)) {
        problems.add(entry->value.place, "the range is empty", "from at most to");
        return std::nullopt;
    }
    return Limits{from, *to};
}

std::vector<double> points_of(const evaluate::Range& range) {
    std::vector<double> points(range.count);
    for (std::size_t i = 0; i < range.count; ++i) points[i] = range.at(i);
    return points;
}

}  // namespace farfield::quantity
