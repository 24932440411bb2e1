// Best values by their definition: no sampled point at which the condition holds is better, and the point on record is
// as good.
#include "recheck/proof.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// Where the best value is met, by the note "met at": exact numbers, where the cells have the nearest doubles. Nothing
/// if a coordinate is missing.
std::optional<Point> recorded_point(const Question& question, const core::Result& result) {
    std::string text;
    for (const auto& [key, note] : result.notes)
        if (key == "met at") text = note;
    Point point;
    for (const Side& side : question.over) {
        // "x = 1/2, y in [0.1, 0.2]": of a range that is not split further every number is meant.
        const std::size_t at =
            text.find(side.name + (text.find(side.name + " = ") == std::string::npos ? " in [" : " = "));
        if (at == std::string::npos) return std::nullopt;
        const std::size_t from = text.find_first_of("=[", at) + 1;
        const std::size_t digits = text.find_first_not_of(' ', from);
        const auto number = recheck::read_rational(text.substr(digits, text.find_first_of(",]", digits) - digits));
        if (!number) return std::nullopt;
        point.emplace_back(side.name, Number(*number));
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
