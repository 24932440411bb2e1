// Attention expectations: sums of cosines, and whether the rotation is one of distances alone.
#include <cmath>

#include "soundness/scheme_oracle.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

/// cos(angle(b) - angle(a)) scale(b)/scale(a), by the angles of far pairs where they are far.
Number expected_turn(SchemeOracle& scheme, long from, long to, long pair, long length) {
    const Number a{Rational(from)};
    const Number b{Rational(to)};
    const std::optional<Truth> is_far = scheme.is_far(to, from);
    if (!is_far) return Number::nowhere();
    if (*is_far == Truth::maybe) return Number::unknown();
    const bool far = *is_far == Truth::yes;
    const Number query = scheme.angle(scheme.position(far ? Turned::far_query : Turned::near, b), pair);
    const Number key = scheme.angle(scheme.position(far ? Turned::far_key : Turned::near, a), pair);
    return recheck::cos(query - key) * scheme.scale(b, pair, length) / scheme.scale(a, pair, length);
}

Number expected_score(SchemeOracle& scheme, long distance, long pairs, long length) {
    Number sum{Rational(0)};
    for (long pair = 0; pair < pairs; ++pair) sum = sum + expected_turn(scheme, 0, distance, pair, length);
    return sum;
}

Outcome judge_expectation(const Question& question, const core::Result& result) {
    if (!result.series || result.series->rigour < core::Rigour::rigorous) return {};
    const core::Column& column = result.series->columns[1];
    if (column.enclosures.empty()) return {};
    const long last = std::stol(question.over.front().to);
    SchemeOracle scheme(question, last + 1);
    const long pairs = scheme.pairs() + (question.flags.count("last") != 0 && question.flags.at("last") ? 1 : 0);
    for (long n = 0; n <= last; ++n) {
        const Number sum = expected_score(scheme, n, pairs, last + 1);
        for (long pair = 0; pair < pairs; ++pair) {
            const Number here = expected_turn(scheme, 0, n, pair, last + 1);
            const Number later = expected_turn(scheme, 3, n + 3, pair, last + 1);
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
