// Best values by their definition: no sampled point at which the condition holds is better.
#include "soundness/judges.hpp"

namespace farfield::soundness {

Outcome judge_optimum(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* best = result.find("best");
    if (!is_certified(best)) return {false, std::nullopt};
    const recheck::Node condition = question.other.empty() ? nullptr : recheck::parse_tree(question.other);
    recheck::Evaluator evaluator;
    Formula formula(question.formula);
    const bool is_least = question.goal == "least";
    for (const Point& point : points_of(question, random)) {
        try {
            if (condition && lacks_value(condition, evaluator, point)) continue;
            if (condition && evaluator.truth(condition, point) != recheck::Truth::yes) continue;
            const recheck::Number value = formula.at(point);
            const bool is_better = is_least ? is_below(value, *best) : is_above(value, *best);
            if (is_better) return wrong("better at " + show(point) + ": " + show(value), within("best", *best));
        } catch (const recheck::Unprovable&) {
        }
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
