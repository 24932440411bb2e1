#include "soundness/judges.hpp"

#include <cmath>
#include <cstdio>

namespace farfield::soundness {

using recheck::Interval;
using recheck::Number;
using recheck::Truth;

namespace {

/// An end of an enclosure; infinite ones bound nothing.
std::optional<Number> end(double value) {
    if (!std::isfinite(value)) return std::nullopt;
    return Number(recheck::of_double(value));
}

/// An end of what the cell may be: its exact value where that is stated.
std::optional<Number> end(const core::Cell& cell, double value) {
    if (const auto exact = recheck::read_rational(cell.rational)) return Number(*exact);
    return end(value);
}

}  // namespace

bool is_certified(const core::Cell* cell) {
    return cell != nullptr && cell->number && cell->enclosure && cell->rigour >= core::Rigour::rigorous &&
           !std::isnan(cell->enclosure->lo) && !std::isnan(cell->enclosure->hi);
}

bool is_below(const Number& value, const core::Cell& cell) {
    const auto lo = end(cell, cell.enclosure->lo);
    return lo && recheck::less(value, *lo) == Truth::yes;
}
bool is_above(const Number& value, const core::Cell& cell) {
    const auto hi = end(cell, cell.enclosure->hi);
    return hi && recheck::less(*hi, value) == Truth::yes;
}

std::string decimal(double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

std::string within(const std::string& name, const core::Cell& cell) {
    return "q." + name + " >= " + decimal(cell.enclosure->lo) + " - abs(" + decimal(cell.enclosure->lo) +
           ")*1e-15 and q." + name + " <= " + decimal(cell.enclosure->hi) + " + abs(" + decimal(cell.enclosure->hi) +
           ")*1e-15";
}

std::string show(const Number& number) {
    if (number.infinite() != 0) return number.infinite() > 0 ? "inf" : "-inf";
    if (number.defined() == Truth::no) return "no value";
    if (number.exact() && number.exact()->bits() < 200) return recheck::text(*number.exact());
    const Interval x = number.interval();
    return "[" + recheck::text(x.lo, 25) + ", " + recheck::text(x.hi, 25) + "]";
}

std::string show(const Point& point) {
    std::string text;
    for (const auto& [name, value] : point) text += (text.empty() ? "" : ", ") + name + " = " + show(value);
    return text;
}

Number Formula::at(const Point& point) {
    try {
        return evaluator_.value(tree_, point);
    } catch (const recheck::Unprovable&) {
        return Number::unknown();
    }
}

Truth Formula::truth(const Point& point) {
    try {
        return evaluator_.truth(tree_, point);
    } catch (const recheck::Unprovable&) {
        return Truth::maybe;
    }
}

bool has_no_value(const Number& value) {
    return value.defined() == Truth::no || value.infinite() != 0;
}

Outcome wrong(std::string why, std::string holds, bool is_suspect) {
    return {true, Wrong{std::move(why), std::move(holds), is_suspect}};
}

Outcome judge_first(const std::string& name, const core::Cell* cell, const std::vector<Point>& points,
                    const std::function<Truth(std::size_t)>& happens, bool are_all) {
    if (!is_certified(cell)) return {};
    bool may_happen = !are_all;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Number& place = points[i].back().second;
        const bool is_before = is_below(place, *cell);
        const bool is_after = is_above(place, *cell);
        const Truth truth = happens(i);
        if (is_before && truth == Truth::yes)
            return wrong(name + ": happens before, at " + show(points[i]), within(name, *cell));
        may_happen = may_happen || (!is_before && !is_after && truth != Truth::no);
    }
    if (!may_happen) return wrong(name + ": does not happen at the stated point", within(name, *cell));
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
