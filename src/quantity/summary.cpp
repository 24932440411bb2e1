#include "quantity/summary.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

struct Best {
    std::size_t index = 0;
    core::Enclosure value;
    core::Enclosure argument;
};

/// The least value of sign * column: its first index, an enclosure of the value and of the variable there.
Best least(const View& view, double sign) {
    Best best;
    for (std::size_t i = 1; i < view.values.size(); ++i)
        if (sign * view.values[i] < sign * view.values[best.index]) best.index = i;
    if (view.enclosures.empty()) return best;
    const auto low = [&](std::size_t i) { return sign > 0 ? view.enclosures[i].lo : -view.enclosures[i].hi; };
    const auto high = [&](std::size_t i) { return sign > 0 ? view.enclosures[i].hi : -view.enclosures[i].lo; };
    double lo = std::numeric_limits<double>::infinity();
    double hi = lo;
    for (std::size_t i = 0; i < view.values.size(); ++i) {
        lo = std::min(lo, low(i));
        hi = std::min(hi, high(i));
    }
    best.value = sign > 0 ? core::Enclosure{lo, hi} : core::Enclosure{-hi, -lo};
    best.argument = {view.points[best.index], view.points[best.index]};
    for (std::size_t i = 0; i < view.values.size(); ++i) {
        if (low(i) > hi) continue;
        best.argument.lo = std::min(best.argument.lo, view.points[i]);
        best.argument.hi = std::max(best.argument.hi, view.points[i]);
        if (high(i) == lo) break;  // certainly least: the first such is at most here
    }
    return best;
}

}  // namespace

void summarise(const View& view, core::Result& result) {
    const bool is_enclosed = !view.enclosures.empty();
    const auto make = [&](double number, const core::Enclosure& enclosure) {
        core::Cell made = is_enclosed ? cell(number, enclosure) : core::Cell::of(number);
        if (made.enclosure) made.rigour = view.rigour;
        return made;
    };
    const auto at = [&](std::size_t i) {
        return make(view.values[i], is_enclosed ? view.enclosures[i] : core::Enclosure{});
    };
    for (const double sign : {1.0, -1.0}) {
        const Best best = least(view, sign);
        const std::string name = sign > 0 ? "min" : "max";
        result.set(name, make(view.values[best.index], best.value));
        result.set("arg" + name, make(view.points[best.index], best.argument));
    }
    result.set("first", at(0));
    result.set("last", at(view.values.size() - 1));
}

}  // namespace farfield::quantity
