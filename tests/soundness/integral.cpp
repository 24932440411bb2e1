// Integrals against the midpoint rule of the recheck, on fewer parts.
#include "recheck/proof.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {

Outcome judge_integral(const Question& question, const core::Result& result) {
    const core::Cell* const value = result.find("value");
    if (!is_certified(value)) return {};
    constexpr std::size_t most_parts = 400;
    const Side& over = question.over.front();
    recheck::Side side;
    side.variable = over.name;
    side.from = *recheck::read_rational(over.from);
    side.to = *recheck::read_rational(over.to);
    const recheck::Number found(recheck::integral(recheck::parse_tree(question.formula), side, most_parts));
    if (is_below(found, *value) || is_above(found, *value))
        return wrong("the integral is " + show(found), within("value", *value));
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
