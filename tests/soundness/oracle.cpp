// What Arb says of identities, directions, extremes, formats, values and fits.
#include <algorithm>
#include <cmath>

#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Interval;
using recheck::Node;
using recheck::Number;
using recheck::Rational;
using recheck::Truth;

Rational read(const std::string& text) {
    return *recheck::read_rational(text);
}

/// The domain in boxes, of reals alone.
std::vector<Point> boxes_of(const Question& question) {
    std::vector<Point> boxes = {{}};
    for (const Side& side : question.over) {
        const int parts = question.over.size() > 1 ? 6 : 24;
        const Rational lo = read(side.from);
        const Rational width = (read(side.to) - lo) / Rational(parts);
        std::vector<Point> longer;
        for (const Point& box : boxes) {
            for (int i = 0; i < parts; ++i) {
                longer.push_back(box);
                const Rational from = lo + width * Rational(i);
                longer.back().emplace_back(
                    side.name, Number(Interval{recheck::enclose(from).lo, recheck::enclose(from + width).hi}));
            }
        }
        boxes = std::move(longer);
    }
    return boxes;
}

bool is_of_reals(const Question& question) {
    return std::none_of(question.over.begin(), question.over.end(), [](const Side& side) { return side.is_grid(); });
}

/// Everything that covers the domain: its points or its boxes.
std::vector<Point> cover(const Question& question, Random& random) {
    return is_of_reals(question) && !question.over.empty() ? boxes_of(question) : points_of(question, random);
}

Outcome judge_identity(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* holds = result.find("holds");
    const core::Cell* largest = result.find("max_difference");
    if (!is_certified(holds) && !is_certified(largest)) return {};
    Formula left(question.formula);
    Formula right(question.other);
    const Number tolerance(read(question.tolerance.empty() ? "0" : question.tolerance));
    if (is_certified(holds) && *holds->number == 1) {
        for (const Point& point : points_of(question, random)) {
            const Number a = left.at(point);
            const Number b = right.at(point);
            const std::string sides = show(a) + " and " + show(b) + " at " + show(point);
            if (has_no_value(a) || has_no_value(b)) return wrong("holds, but: " + sides, "q.holds == 1");
            const Number difference = recheck::abs(a - b);
            if (recheck::less(tolerance, difference) == Truth::yes)
                return wrong("holds, but: " + sides, "q.holds == 1");
            if (is_certified(largest) && is_above(difference, *largest))
                return wrong("max_difference too small: " + sides, within("max_difference", *largest));
        }
        return {true, std::nullopt};
    }
    if (is_certified(largest) && !has_no_value(Number(0))) {
        bool all_below = true;
        for (const Point& point : cover(question, random)) {
            const Number difference = recheck::abs(left.at(point) - right.at(point));
            all_below = all_below && is_below(difference, *largest);
        }
        if (all_below) return wrong("max_difference too large", within("max_difference", *largest));
    }
    return {is_certified(holds), std::nullopt};
}

/// Whether a step from value `a` to a later value `b` certainly goes (or fails to go) the asked way.
Truth goes(const std::string& direction, const Number& a, const Number& b) {
    if (direction == "increasing") return recheck::less(a, b);
    if (direction == "decreasing") return recheck::less(b, a);
    return direction == "nondecreasing" ? recheck::less_equal(a, b) : recheck::less_equal(b, a);
}

bool share_others(const Point& a, const Point& b) {
    // The first variable stands last in a point.
    for (std::size_t i = 0; i + 1 < a.size(); ++i)
        if (!(*a[i].second.exact() == *b[i].second.exact())) return false;
    return true;
}

Outcome judge_refuted_monotone(const Question& question, const core::Cell* first, const std::vector<Point>& points,
                               const std::vector<Number>& values) {
    bool speaks_for = false;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        if (!share_others(points[i], points[i + 1])) continue;
        const Truth way = goes(question.direction, values[i], values[i + 1]);
        speaks_for = speaks_for || way != Truth::yes;
        const Number& later = points[i + 1].back().second;
        const Number& place = question.over.front().is_grid() ? points[i].back().second : later;
        if (way == Truth::no && is_certified(first) && is_below(place, *first))
            return wrong("first_counterexample too late: goes the wrong way from " + show(points[i]) + " to " +
                             show(points[i + 1]),
                         within("first_counterexample", *first));
    }
    if (question.over.front().is_grid() && !speaks_for)
        return wrong("refuted, but goes in the stated direction at every step", "q.holds == 0");
    if (!question.over.front().is_grid() && !speaks_for)
        return wrong("refuted, but no sampled step goes the wrong way", "q.holds == 0", true);
    return {true, std::nullopt};
}

/// Whether some step does not certainly go the asked way that begins or ends at distances (to - from)/2^k from the
/// reported place, the other variables as in one of the points.
bool goes_wrong_near(const Question& question, const core::Cell& first, const std::vector<Point>& points,
                     Formula& formula) {
    const Rational lo = read(question.over.front().from);
    const Rational hi = read(question.over.front().to);
    const auto is_way = [&](Point point, const Rational& from, const Rational& to) {
        point.back().second = Number(from);
        const Number before = formula.at(point);
        point.back().second = Number(to);
        return goes(question.direction, before, formula.at(point)) == Truth::yes;
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (i > 0 && share_others(points[i - 1], points[i])) continue;  // one point for each value of the others
        for (int scale = 0; scale < 60; ++scale) {
            const Rational reach = (hi - lo) / Rational(1L << scale);
            for (const double centre : {first.enclosure->lo, first.enclosure->hi}) {
                const Rational middle = recheck::of_double(centre);
                const Rational a = middle - reach < lo ? lo : middle - reach;
                const Rational b = hi < middle + reach ? hi : middle + reach;
                for (const auto& [from, to] : {std::pair(a, middle), std::pair(middle, b), std::pair(a, b)})
                    if (from < to && !(from < lo) && !(hi < to) && !is_way(points[i], from, to)) return true;
            }
        }
    }
    return false;
}

Outcome judge_monotone(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* holds = result.find("holds");
    if (!is_certified(holds)) return {};
    Formula formula(question.formula);
    std::vector<Point> points = points_of(question, random);
    std::vector<Number> values;
    for (const Point& point : points) values.push_back(formula.at(point));
    if (*holds->number == 0) {
        const core::Cell* first = result.find("first_counterexample");
        Outcome outcome = judge_refuted_monotone(question, first, points, values);
        const bool is_shown = outcome.wrong && outcome.wrong->is_suspect && is_certified(first) &&
                              goes_wrong_near(question, *first, points, formula);
        if (is_shown) return {true, std::nullopt};
        return outcome;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (has_no_value(values[i]))
            return wrong("holds, but: " + show(values[i]) + " at " + show(points[i]), "q.holds == 1");
        if (i + 1 == points.size() || !share_others(points[i], points[i + 1])) continue;
        if (goes(question.direction, values[i], values[i + 1]) == Truth::no)
            return wrong("holds, but: " + show(values[i]) + " at " + show(points[i]) + " and " + show(values[i + 1]) +
                             " at " + show(points[i + 1]),
                         "q.holds == 1");
    }
    return {true, std::nullopt};
}

/// The rounded values at the points, nothing where they are not known.
std::vector<std::optional<Number>> rounded_values(const Question& question, const std::vector<Point>& points) {
    const recheck::Format& format = recheck::find_format(question.format);
    Formula formula(question.formula.empty() ? question.over.front().name : question.formula);
    std::vector<std::optional<Number>> values;
    for (const Point& point : points) {
        try {
            if (question.is_stepwise) {
                values.push_back(recheck::stepwise(formula.tree(), format, point));
                continue;
            }
            const Number value = formula.at(point);
            if (has_no_value(value))
                values.emplace_back(Number::nowhere());
            else
                values.push_back(value.defined() == Truth::yes ? recheck::rounded(format, value) : std::nullopt);
        } catch (const recheck::Unprovable&) {
            values.emplace_back(std::nullopt);
        }
    }
    return values;
}

/// Whether two rounded values are alike; infinities of one sign are.
Truth alike(const std::optional<Number>& a, const std::optional<Number>& b) {
    if (!a || !b) return Truth::maybe;
    if (a->infinite() != 0 || b->infinite() != 0) return recheck::truth_of(a->infinite() == b->infinite());
    if (has_no_value(*a) || has_no_value(*b)) return Truth::maybe;
    return recheck::equal(*a, *b);
}

/// Nothing is certified of a formula without a value at one of the points, unless infinities and NaN are values.
Outcome judge_hole(const Question& question, const std::vector<Point>& points) {
    Formula formula(question.formula);
    for (const Point& point : points)
        if (!question.is_stepwise && has_no_value(formula.at(point)))
            return wrong("certified, but no value at " + show(point), "1 == 1");
    return {};
}

Outcome judge_collision(const Question& question, const core::Result& result, Random& random) {
    if (!is_certified(result.find("first"))) return {};
    const std::vector<Point> points = points_of(question, random);
    if (Outcome hole = judge_hole(question, points); hole.wrong) return hole;
    const auto values = rounded_values(question, points);
    return judge_first("first", result.find("first"), points, [&](std::size_t i) {
        return i + 1 < points.size() ? alike(values[i], values[i + 1]) : Truth::no;
    });
}

/// Whether the event certainly does not happen between the start of the domain and the end of the cell's enclosure.
bool never_happens_by(const Question& question, const core::Cell& cell, recheck::Event event) {
    constexpr int parts = 24;
    const recheck::Format& format = recheck::find_format(question.format);
    const Side& side = question.over.front();
    const Rational from = read(side.from);
    const auto exact = recheck::read_rational(cell.rational);
    if (!exact && !std::isfinite(cell.enclosure->hi)) return false;
    const Rational last = exact ? *exact : recheck::of_double(cell.enclosure->hi);
    if (last < from) return true;
    Formula formula(question.formula);
    const Rational width = (last - from) / Rational(parts);
    for (int i = 0; i < parts; ++i) {
        const Rational lo = from + width * Rational(i);
        const Interval part{recheck::enclose(lo).lo, recheck::enclose(lo + width).hi};
        try {
            if (recheck::happens(event, format, formula.at({{side.name, Number(part)}})) != Truth::no) return false;
        } catch (const recheck::Unprovable&) {
            return false;
        }
    }
    return true;
}

Outcome judge_range(const Question& question, const core::Result& result, Random& random) {
    const bool is_grid = question.over.front().is_grid();
    if (!is_grid && question.is_stepwise) return {};
    const std::vector<Point> points = points_of(question, random);
    const recheck::Format& format = recheck::find_format(question.format);
    Formula formula(question.formula);
    Outcome outcome;
    for (const auto& [name, event] : {std::pair("first_overflow", recheck::Event::overflow),
                                      std::pair("first_underflow", recheck::Event::underflow),
                                      std::pair("first_subnormal", recheck::Event::subnormal)}) {
        const core::Cell* cell = result.find(name);
        if (!is_certified(cell)) continue;
        const auto truth = [&, event = event](std::size_t i) {
            try {
                Number value = formula.at(points[i]);
                if (question.is_stepwise) {
                    const auto rounded = recheck::stepwise(formula.tree(), format, points[i]);
                    if (!rounded) return Truth::maybe;
                    if (event == recheck::Event::underflow && recheck::equal(*rounded, Number(0)) == Truth::yes)
                        return recheck::negated(recheck::equal(value, Number(0)));
                    value = *rounded;
                }
                if (value.infinite() != 0 && event == recheck::Event::overflow) return Truth::maybe;
                return recheck::happens(event, format, value);
            } catch (const recheck::Unprovable&) {
                return Truth::maybe;
            }
        };
        Outcome found = judge_first(name, cell, points, truth, is_grid);
        // The points of an interval are a sample, but the part up to where it must have happened is examined whole.
        if (!is_grid && !found.wrong && never_happens_by(question, *cell, event))
            found = wrong(std::string(name) + ": has not happened at the stated point", within(name, *cell));
        if (found.wrong) return found;
        outcome.is_certified = true;
    }
    if (!outcome.is_certified) return outcome;
    const Outcome hole = judge_hole(question, points);
    return hole.wrong ? hole : outcome;
}

Outcome judge_value(const Question& question, const core::Result& result) {
    const core::Cell* cell = result.find("value");
    if (!is_certified(cell)) return {};
    if (std::isinf(cell->enclosure->lo) && std::isinf(cell->enclosure->hi)) return {};
    const Number value = Formula(question.formula).at({});
    if (has_no_value(value) || is_below(value, *cell) || is_above(value, *cell))
        return wrong("is " + show(value), within("value", *cell));
    return {true, std::nullopt};
}

}  // namespace

Outcome judge_extremum(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* least = result.find("min");
    const core::Cell* most = result.find("max");
    if (!is_certified(least) && !is_certified(most)) return {};
    Formula formula(question.formula);
    for (const Point& point : points_of(question, random)) {
        const Number value = formula.at(point);
        const std::string what = show(value) + " at " + show(point);
        if (has_no_value(value))
            return wrong("certified, but: " + what,
                         within(is_certified(least) ? "min" : "max", is_certified(least) ? *least : *most));
        if (is_certified(least) && is_below(value, *least))
            return wrong("min too large: " + what, within("min", *least));
        if (is_certified(most) && is_above(value, *most)) return wrong("max too small: " + what, within("max", *most));
    }
    bool all_above = true;
    bool all_below = true;
    for (const Point& point : cover(question, random)) {
        const Number value = formula.at(point);
        all_above = all_above && is_certified(least) && is_above(value, *least);
        all_below = all_below && is_certified(most) && is_below(value, *most);
    }
    if (all_above) return wrong("min too small: all values lie above", within("min", *least));
    if (all_below) return wrong("max too large: all values lie below", within("max", *most));
    return {true, std::nullopt};
}

Outcome judge_result(const Question& question, const core::Result& result, Random& random) {
    if (question.kind == "identity") return judge_identity(question, result, random);
    if (question.kind == "monotone") return judge_monotone(question, result, random);
    if (question.kind == "extremum") return judge_extremum(question, result, random);
    if (question.kind == "integral") return judge_integral(question, result);
    if (question.kind == "collision") return judge_collision(question, result, random);
    if (question.kind == "range") return judge_range(question, result, random);
    if (question.kind == "curve") return judge_curve(question, result, random);
    if (question.kind == "crossing") return judge_crossing(question, result, random);
    if (question.kind == "feasible") return judge_feasible(question, result, random);
    if (question.kind == "optimum") return judge_optimum(question, result, random);
    if (question.kind == "oscillation") return judge_oscillation(question, result, random);
    if (question.kind == "rounding-error") return judge_rounding_error(question, result, random);
    if (question.kind == "receptive-field") return judge_receptive_field(question, result);
    if (question.kind == "resolution") return judge_resolution(question, result);
    if (question.kind == "logit-error") return judge_logit_error(question, result);
    if (question.kind == "profile") return judge_profile(question, result);
    if (question.kind == "expectation") return judge_expectation(question, result);
    if (question.kind == "fit") return judge_fit(question, result, random);
    return judge_value(question, result);
}

}  // namespace farfield::soundness
