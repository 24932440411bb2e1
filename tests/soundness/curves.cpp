// What a curve's summary and its steps say.
#include <algorithm>
#include <cmath>

#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Interval;
using recheck::Number;
using recheck::Truth;

/// Where the least value lies (or with `sign` -1 the greatest): no point there may be certainly above another.
Outcome judge_place(const std::string& name, const core::Cell* cell, int sign, const std::vector<Point>& points,
                    const std::vector<Number>& values) {
    if (!is_certified(cell)) return {};
    const auto is_less = [&](const Number& a, const Number& b) {
        return (sign > 0 ? recheck::less(a, b) : recheck::less(b, a)) == Truth::yes;
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Number& place = points[i].back().second;
        if (is_below(place, *cell) || is_above(place, *cell)) continue;
        const bool is_beaten =
            std::any_of(values.begin(), values.end(), [&](const Number& other) { return is_less(other, values[i]); });
        if (!is_beaten) return {true, std::nullopt};
    }
    return wrong(name + ": other values exceed those at the stated points", within(name, *cell));
}

/// Bounds of a number that points tell, against a cell.
Outcome judge_between(const std::string& name, const core::Cell* cell, const Number& least, const Number& most) {
    if (!is_certified(cell)) return {};
    if (is_below(most, *cell)) return wrong(name + " is at most " + show(most), within(name, *cell));
    if (is_above(least, *cell)) return wrong(name + " is at least " + show(least), within(name, *cell));
    return {true, std::nullopt};
}

}  // namespace

Outcome judge_curve(const Question& question, const core::Result& result, Random& random) {
    if (!result.series || result.series->rigour < core::Rigour::rigorous) return {};
    const core::Column& column = result.series->columns[1];
    if (column.enclosures.empty()) return {};
    Formula formula(question.formula);
    const std::vector<Point> points = points_of(question, random);
    if (points.size() != column.enclosures.size())
        return wrong("different number of points: " + std::to_string(column.enclosures.size()), "q.max == q.max");
    std::vector<Number> values;
    for (std::size_t i = 0; i < points.size(); ++i) {
        core::Cell cell;
        cell.enclosure = column.enclosures[i];
        const Number value = formula.at(points[i]);
        values.push_back(value);
        if (std::isinf(cell.enclosure->lo) && std::isinf(cell.enclosure->hi)) continue;
        if (has_no_value(value) || is_below(value, cell) || is_above(value, cell))
            return wrong(show(value) + " at " + show(points[i]) + ", enclosed in [" + decimal(cell.enclosure->lo) +
                             ", " + decimal(cell.enclosure->hi) + "]",
                         "q[" + show(points[i].back().second) + "] >= " + decimal(cell.enclosure->lo));
    }
    for (const Outcome& found : {judge_place("argmin", result.find("argmin"), 1, points, values),
                                 judge_place("argmax", result.find("argmax"), -1, points, values)})
        if (found.wrong) return found;
    return judge_extremum(question, result, random);
}

Outcome judge_oscillation(const Question& question, const core::Result& result, Random& random) {
    const char* names[] = {"increases",        "decreases",       "first_increase",
                           "largest_increase", "total_variation", "monotone"};
    if (std::none_of(std::begin(names), std::end(names),
                     [&](const char* name) { return is_certified(result.find(name)); }))
        return {};
    Formula formula(question.formula);
    const std::vector<Point> points = points_of(question, random);
    std::vector<Number> values;
    for (const Point& point : points) {
        values.push_back(formula.at(point));
        if (has_no_value(values.back()))
            return wrong("certified, but: " + show(values.back()) + " at " + show(point), "q.total_variation >= 0");
    }
    long least_rises = 0, most_rises = 0, least_falls = 0, most_falls = 0;
    Number variation(0);
    Number largest(0);
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const Truth rises = recheck::less(values[i], values[i + 1]);
        const Truth falls = recheck::less(values[i + 1], values[i]);
        least_rises += rises == Truth::yes ? 1 : 0;
        most_rises += rises == Truth::no ? 0 : 1;
        least_falls += falls == Truth::yes ? 1 : 0;
        most_falls += falls == Truth::no ? 0 : 1;
        variation = variation + recheck::abs(values[i + 1] - values[i]);
        largest = recheck::max(largest, values[i + 1] - values[i]);
    }
    const Number may_be(Interval::of(least_rises > 0 && least_falls > 0   ? 0
                                     : most_rises == 0 || most_falls == 0 ? 1
                                                                          : 0,
                                     least_rises > 0 && least_falls > 0 ? 0 : 1));
    const auto rise = [&](std::size_t i) {
        return i + 1 < points.size() ? recheck::less(values[i], values[i + 1]) : Truth::no;
    };
    for (const Outcome& found :
         {judge_between("increases", result.find("increases"), Number(least_rises), Number(most_rises)),
          judge_between("decreases", result.find("decreases"), Number(least_falls), Number(most_falls)),
          judge_between("total_variation", result.find("total_variation"), variation, variation),
          judge_between("largest_increase", result.find("largest_increase"), largest, largest),
          judge_between("monotone", result.find("monotone"), may_be, may_be),
          judge_first("first_increase", result.find("first_increase"), points, rise)})
        if (found.wrong) return found;
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
