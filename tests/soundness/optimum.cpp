// Best values by their definition: no sampled point at which the condition holds is better, and the point on record is
// as good.
#include "recheck/proof.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

recheck::Side exact(const Side& side) {
    recheck::Side result;
    result.variable = side.name;
    result.is_grid = side.is_grid();
    result.from = *recheck::read_rational(side.from);
    result.to = *recheck::read_rational(side.to);
    if (!side.is_grid()) return result;
    result.step = *recheck::read_rational(side.step);
    result.count = recheck::whole_number(recheck::floor((result.to - result.from) / result.step)).value() + 1;
    return result;
}

/// Where the best value is met, by the record; nothing if a coordinate is missing.
std::optional<Point> recorded_point(const Question& question, const core::Result& result) {
    Point point;
    for (const Side& side : question.over) {
        const core::Cell* at = result.find(question.over.size() == 1 ? "at" : "at_" + side.name);
        if (!at || !at->number) return std::nullopt;
        point.emplace_back(side.name, Number(recheck::on_side(exact(side), *at->number)));
    }
    return point;
}

}  // namespace

Outcome judge_optimum(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* best = result.find("best");
    if (!is_certified(best)) return {false, std::nullopt};
    const recheck::Node condition = question.other.empty() ? nullptr : recheck::parse_tree(question.other);
    recheck::Evaluator evaluator;
    Formula formula(question.formula);
    const bool is_least = question.goal == "least";
    const auto truth_at = [&](const Point& point) {
        if (!condition) return Truth::yes;
        return lacks_value(condition, evaluator, point) ? Truth::no : evaluator.truth(condition, point);
    };
    try {
        const std::optional<Point> met = recorded_point(question, result);
        if (!met) return wrong("no point at which it is met", within("best", *best));
        if (truth_at(*met) == Truth::no) return wrong("the condition fails at " + show(*met), within("best", *best));
        const Number value = formula.at(*met);
        const bool is_worse = is_least ? is_above(value, *best) : is_below(value, *best);
        if (is_worse) return wrong("worse at " + show(*met) + ": " + show(value), within("best", *best));
    } catch (const recheck::Unprovable&) {
    }
    for (const Point& point : points_of(question, random)) {
        try {
            if (truth_at(point) != Truth::yes) continue;
            const Number value = formula.at(point);
            const bool is_better = is_least ? is_below(value, *best) : is_above(value, *best);
            if (is_better) return wrong("better at " + show(point) + ": " + show(value), within("best", *best));
        } catch (const recheck::Unprovable&) {
        }
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
