#include "quantity/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

struct Best {
    std::size_t index = 0;
    core::Enclosure value;
    /// The indexes of the points between which the argument lies.
    std::size_t first = 0;
    std::size_t last = 0;
};

constexpr core::Enclosure anything = {-std::numeric_limits<double>::infinity(),
                                      std::numeric_limits<double>::infinity()};

/// The most points that may be the smallest and are compared as rationals.
constexpr std::size_t most_compared = 256;

std::optional<numerics::Rational> exact_value(const View& view, std::size_t index) {
    const core::Enclosure& enclosure = view.enclosures[index];
    if (enclosure.lo == enclosure.hi) return numerics::exactly(enclosure.lo);
    return view.exact_value(index);
}

/// The first of the points at which sign * column is smallest, if all values are known exactly; this resolves ties.
std::optional<std::size_t> first_exactly(const View& view, const std::vector<std::size_t>& points, double sign) {
    if (points.size() > most_compared) return std::nullopt;
    std::optional<std::size_t> first;
    numerics::Rational best;
    for (const std::size_t i : points) {
        const std::optional<numerics::Rational> value = exact_value(view, i);
        if (!value) return std::nullopt;
        if (first && (sign > 0 ? *value >= best : *value <= best)) continue;
        first = i;
        best = *value;
    }
    return first;
}

/// The smallest value of sign * column: its first index, and enclosures of the value and of the variable there. If a
/// point may have no value, any point may be the smallest. For a column that begins with NaN, it is the first point.
Best least(const View& view, const evaluate::Extremes& extremes, double sign) {
    Best best;
    if (extremes.first_nan != 0) best.index = sign > 0 ? extremes.at_least : extremes.at_greatest;
    if (view.enclosures.empty()) return best;
    const std::size_t points = view.enclosures.size();
    const auto says_nothing = [](const core::Enclosure& x) { return !(x.lo <= x.hi) || x == anything; };
    if (std::any_of(view.enclosures.begin(), view.enclosures.end(), says_nothing))
        return {best.index, anything, 0, points - 1};
    const auto low = [&](std::size_t i) { return sign > 0 ? view.enclosures[i].lo : -view.enclosures[i].hi; };
    const auto high = [&](std::size_t i) { return sign > 0 ? view.enclosures[i].hi : -view.enclosures[i].lo; };
    double lo = std::numeric_limits<double>::infinity();
    double hi = lo;
    for (std::size_t i = 0; i < points; ++i) {
        lo = std::min(lo, low(i));
        hi = std::min(hi, high(i));
    }
    best.value = sign > 0 ? core::Enclosure{lo, hi} : core::Enclosure{-hi, -lo};
    best.first = best.last = best.index;
    std::vector<std::size_t> candidates;
    for (std::size_t i = 0; i < points; ++i) {
        if (low(i) > hi) continue;
        best.first = std::min(best.first, i);
        best.last = std::max(best.last, i);
        if (candidates.size() <= most_compared) candidates.push_back(i);
        if (high(i) == lo) break;  // certainly the smallest: the first such point is not after this one
    }
    if (best.first == best.last) return best;
    if (const auto first = first_exactly(view, candidates, sign)) best.index = best.first = best.last = *first;
    return best;
}

core::Cell argument(const View& view, const Best& best) {
    if (best.value == anything) return core::Cell::of(view.points[best.index]);
    core::Cell cell = view.exact_point(best.index);
    const double lo = view.enclosed_point(best.first).lo;
    const double hi = view.enclosed_point(best.last).hi;
    if (best.first != best.last) cell = core::Cell::enclosed(*cell.number, {std::min(lo, hi), std::max(lo, hi)});
    cell.rigour = view.rigour;
    return cell;
}

}  // namespace

void summarise(const View& view, core::Result& result) {
    summarise(view, evaluate::extremes(view.values), result);
}

void summarise(const View& view, const evaluate::Extremes& extremes, core::Result& result) {
    const bool is_enclosed = !view.enclosures.empty();
    const auto make = [&](double number, const core::Enclosure& enclosure) {
        core::Cell made = is_enclosed ? cell(number, enclosure) : core::Cell::of(number);
        if (made.enclosure) made.rigour = view.rigour;
        return made;
    };
    const auto at = [&](std::size_t i) {
        const bool is_point = !is_enclosed || view.enclosures[i].lo == view.enclosures[i].hi;
        const std::optional<numerics::Rational> exact = is_point ? std::nullopt : view.exact_value(i);
        if (exact) return exact_cell(*exact);
        return make(view.values[i], is_enclosed ? view.enclosures[i] : core::Enclosure{});
    };
    for (const double sign : {1.0, -1.0}) {
        const Best best = least(view, extremes, sign);
        const std::string name = sign > 0 ? "min" : "max";
        const bool is_sure = is_enclosed && best.value != anything && best.first == best.last;
        result.set(name, is_sure ? at(best.first) : make(view.values[best.index], best.value));
        result.set("arg" + name, is_enclosed ? argument(view, best) : core::Cell::of(view.points[best.index]));
    }
    result.set("first", at(0));
    result.set("last", at(view.values.size() - 1));
}

}  // namespace farfield::quantity
