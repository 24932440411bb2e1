// Crossings by their definition: strict sides at sampled points, in order.
#include <cmath>

#include "soundness/judges.hpp"

namespace farfield::soundness {
namespace {

using recheck::Number;
using recheck::Truth;

/// A change of side that points show: somewhere after `from`, at `to` at the latest.
struct Change {
    std::size_t from = 0;
    std::size_t to = 0;
    bool is_up = false;
};

}  // namespace

Outcome judge_crossing(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* count = result.find("count");
    const core::Cell* first = result.find("first");
    const core::Cell* last = result.find("last");
    if (!is_certified(count) && !is_certified(first) && !is_certified(last)) return {};
    const bool is_grid = question.over.front().is_grid();
    Formula formula(question.formula);
    const std::vector<Point> points = points_of(question, random);
    const Number zero(0);
    std::vector<Change> changes;
    std::optional<std::size_t> before;
    bool was_above = false;
    bool all_known = is_grid;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Number value = formula.at(points[i]);
        if (has_no_value(value))
            return wrong("certified, but: " + show(value) + " at " + show(points[i]), "q.count >= 0");
        const bool is_above = recheck::less(zero, value) == Truth::yes;
        const bool is_below = recheck::less(value, zero) == Truth::yes;
        all_known = all_known && (is_above || is_below || recheck::equal(value, zero) == Truth::yes);
        if (!is_above && !is_below) continue;
        const bool is_wanted = question.direction == "any" || (question.direction == "up") == is_above;
        if (before && was_above != is_above && is_wanted) changes.push_back({*before, i, is_above});
        was_above = is_above;
        before = i;
    }
    const auto shown = static_cast<double>(changes.size());
    if (is_certified(count) && count->enclosure->hi < shown)
        return wrong("crosses at least " + decimal(shown) + " times", "q.count <= " + decimal(count->enclosure->hi));
    if (is_certified(count) && all_known && count->enclosure->lo > shown)
        return wrong("crosses " + decimal(shown) + " times", "q.count >= " + decimal(count->enclosure->lo));
    const auto at = [&](std::size_t i) { return points[i].back().second; };
    const auto note = [&](std::size_t i) { return show(points[i]); };
    if (is_certified(first)) {
        // It is at the first change that points show, or before.
        if (!changes.empty() && is_below(at(changes.front().to), *first))
            return wrong("first: crosses before, up to " + note(changes.front().to), within("first", *first));
        if (all_known && (changes.empty() || is_above(at(changes.front().to), *first)))
            return wrong("first: does not cross at the stated point", within("first", *first));
    }
    if (is_certified(last)) {
        // Of a grid it is at the next point or later: what lies between may have a sign that is not known.
        const auto lies_before = [&](const Change& change) {
            return is_above(at(is_grid ? change.from + 1 : change.from), *last);
        };
        if (!changes.empty() && lies_before(changes.back()))
            return wrong("last: crosses after " + note(changes.back().from), within("last", *last));
        if (all_known && (changes.empty() || is_below(at(changes.back().to), *last)))
            return wrong("last: does not cross at the stated point", within("last", *last));
    }
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
