// Rounding errors against the formula computed step by step in its format, at sampled points.
#include "recheck/format.hpp"
#include "recheck/proof.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {

using recheck::Number;

namespace {

/// The formula that is meant: operators that round stand for their arguments.
std::string without_rounding(std::string text) {
    for (const std::string name : {"fp32(", "fp16(", "bf16(", "e4m3(", "e5m2("})
        for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
            text.replace(at, name.size(), "(");
    return text;
}

}  // namespace

Outcome judge_rounding_error(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* const absolute = result.find("absolute");
    const core::Cell* const relative = result.find("relative");
    if (!is_certified(absolute)) return {};
    Formula formula(question.formula);
    Formula meant(without_rounding(question.formula));
    const recheck::Format& format = recheck::find_format(question.format);
    for (const Point& point : points_of(question, random)) {
        try {
            const Number exact = meant.at(point);
            if (has_no_value(exact)) return wrong("no value at " + show(point), within("absolute", *absolute));
            const auto computed = recheck::stepwise(formula.tree(), format, point);
            if (!computed) continue;
            if (has_no_value(*computed)) return wrong("overflows at " + show(point), within("absolute", *absolute));
            const Number error = recheck::abs(*computed - exact);
            const std::string what = show(*computed) + " for " + show(exact) + " at " + show(point);
            if (is_above(error, *absolute)) return wrong("absolute too small: " + what, within("absolute", *absolute));
            if (is_certified(relative) && is_above(error / recheck::abs(exact), *relative))
                return wrong("relative too small: " + what, within("relative", *relative));
        } catch (const recheck::Unprovable&) {
        }
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
