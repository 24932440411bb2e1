// The sine integral on an interval.
#include <arb.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

#include "recheck/interval.hpp"

namespace farfield::recheck {
namespace {

/// Beyond this, only |Si(x) - pi/2| < 1/x is used.
constexpr double farthest_si = 0x1p40;

Interval si_within(const Interval& x) {
    arb_t ball;
    arb_init(ball);
    arb_set_interval_arf(ball, x.lo.get(), x.hi.get(), Precision::bits());
    arb_hypgeom_si(ball, ball, Precision::bits());
    Interval result;
    arb_get_interval_arf(result.lo.get(), result.hi.get(), ball, Precision::bits());
    arb_clear(ball);
    return result;
}

Interval si_far_out(const Float& x) {
    const Interval rest = Interval::of(1, 1) / Interval::point(x);
    return pi() / Interval::of(2, 2) + hull(rest, -rest);
}

}  // namespace

/// Si rises where the sine and x have the same sign. Its extremes are at k pi, and approach pi/2 as k grows, so that of
/// the extremes within x, the first two on each side of 0 bound all.
Interval sine_integral(const Interval& x) {
    Interval all = Interval::of(-1.852, 1.852);
    if (!x.is_bounded()) return all;
    if (Float(farthest_si) <= x.lo) return si_far_out(x.lo);
    if (x.hi <= Float(-farthest_si)) return -si_far_out((-x).lo);
    Interval result = hull(si_within(Interval::point(x.lo)), si_within(Interval::point(x.hi)));
    if (x.is_point()) return result;
    // Multiples that may lie in x; beyond 2^40 only the first is used.
    const double first = std::max(floor(x / pi()).lo.down() + 1, -farthest_si);
    const double last = std::min(floor(x / pi()).hi.up(), farthest_si);
    for (const double step : {0.0, 1.0}) {
        for (const double k : {std::max(first, 1.0) + step, std::min(last, -1.0) - step})
            if (first <= k && k <= last) result = hull(result, si_within(Interval::of(k, k) * pi()));
    }
    return common(result, all);
}

}  // namespace farfield::recheck
