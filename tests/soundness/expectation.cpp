// Attention expectations: sums of cosines, and whether the rotation is one of distances alone.
#include <cmath>

#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

Outcome judge_expectation(const Question& question, const core::Result& result) {
    if (!result.series || result.series->rigour < core::Rigour::rigorous) return {};
    const core::Column& column = result.series->columns[1];
    if (column.enclosures.empty()) return {};
    const long last = std::stol(question.over.front().to);
    SchemeOracle scheme(question, last + 1);
    const long pairs = scheme.pairs();
    /// cos(angle(b) - angle(a)) scale(b)/scale(a)
    const auto turned = [&](long from, long to, long pair) {
        const Number a{Rational(from)};
        const Number b{Rational(to)};
        return recheck::cos(scheme.angle(b, pair) - scheme.angle(a, pair)) * scheme.scale(b, pair, last + 1) /
               scheme.scale(a, pair, last + 1);
    };
    for (long n = 0; n <= last; ++n) {
        Number sum{Rational(0)};
        for (long pair = 0; pair < pairs; ++pair) {
            const Number here = turned(0, n, pair);
            const Number later = turned(3, n + 3, pair);
            sum = sum + here;
            if (recheck::equal(here, later) == Truth::no)
                return wrong("certified, but depends on more than the distance " + std::to_string(n) + ": " +
                                 show(here) + " and " + show(later),
                             "q[0] >= 0");
        }
        core::Cell cell;
        cell.enclosure = column.enclosures[static_cast<std::size_t>(n)];
        if (std::isinf(cell.enclosure->lo) && std::isinf(cell.enclosure->hi)) continue;
        if (has_no_value(sum) || is_below(sum, cell) || is_above(sum, cell))
            return wrong("g[" + std::to_string(n) + "] is " + show(sum),
                         "q[" + std::to_string(n) + "] >= " + decimal(cell.enclosure->lo));
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
