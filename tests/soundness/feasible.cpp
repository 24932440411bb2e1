// Feasible sets by their definition: whether the condition holds at sampled points.
#include <cmath>
#include <limits>

#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// 1 where a part of the series says that the condition holds, -1 where it fails, 0 elsewhere.
double state_at(const core::Series& series, const Rational& at) {
    for (std::size_t i = 0; i < series.rows(); ++i) {
        // An end is the double nearest to it: only what no double separates from it may be outside the part.
        constexpr double infinity = std::numeric_limits<double>::infinity();
        const Rational from = recheck::of_double(std::nextafter(series.columns[0].values[i], infinity));
        const Rational to = recheck::of_double(std::nextafter(series.columns[1].values[i], -infinity));
        if (!(at < from) && !(to < at)) return series.columns[2].values[i];
    }
    return 0;
}

}  // namespace

Outcome judge_feasible(const Question& question, const core::Result& result, Random& random) {
    const recheck::Node condition = recheck::parse_tree(question.formula);
    recheck::Evaluator evaluator;
    bool is_certified_somewhere = false;
    std::size_t holding = 0;
    bool all_known = question.over.front().is_grid();
    const std::vector<Point> points = points_of(question, random);
    for (const Point& point : points) {
        Truth truth = Truth::maybe;
        bool has_none = false;
        try {
            has_none = lacks_value(condition, evaluator, point);
            truth = evaluator.truth(condition, point);
        } catch (const recheck::Unprovable&) {
        }
        const bool holds = truth == Truth::yes && !has_none;
        holding += holds ? 1 : 0;
        all_known = all_known && !has_none && truth != Truth::maybe;
        const std::string where = show(point);
        if (const core::Cell* share = result.find("share"); is_certified(share)) {
            is_certified_somewhere = true;
            if (holds && share->enclosure->hi == 0) return wrong("empty, but holds at " + where, "q.share == 0");
            if ((truth == Truth::no || has_none) && share->enclosure->lo == 1)
                return wrong("holds everywhere, but not at " + where, "q.share == 1");
        }
        if (result.series) {
            const double state = state_at(*result.series, *point.front().second.exact());
            const std::string at = question.over.front().name + " near " + where;
            if (state != 0 && has_none) return wrong("decided, but has no value at " + where, "q.share >= 0");
            if (state == 1 && truth == Truth::no) return wrong("fails at " + at, "q.share >= 0");
            if (state == -1 && truth == Truth::yes) return wrong("holds at " + at, "q.share >= 0");
        }
        for (const auto& [variable, value] : point) {
            const std::string suffix = point.size() == 1 ? "" : "_" + variable;
            const core::Cell* least = result.find("least" + suffix);
            const core::Cell* greatest = result.find("greatest" + suffix);
            if (holds && is_certified(least) && is_below(value, *least))
                return wrong("holds below the least, at " + where, within("least" + suffix, *least));
            if (holds && is_certified(greatest) && is_above(value, *greatest))
                return wrong("holds above the greatest, at " + where, within("greatest" + suffix, *greatest));
        }
    }
    const core::Cell* share = result.find("share");
    if (all_known && is_certified(share)) {
        const Number expected(Rational(static_cast<long>(holding)) / Rational(static_cast<long>(points.size())));
        if (is_below(expected, *share) || is_above(expected, *share))
            return wrong("the share is " + show(expected), within("share", *share));
    }
    return {is_certified_somewhere, std::nullopt};
}

}  // namespace farfield::soundness
