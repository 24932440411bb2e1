#include "recheck/student.hpp"

#include <arb.h>
#include <arb_hypgeom.h>

namespace farfield::recheck {
namespace {

/// I_x(freedom/2, 1/2), within [0, 1].
Interval beta_ratio(const Float& freedom, const Float& x) {
    const Interval all = Interval::of(0, 1);
    if (x.sign() <= 0) return Interval::of(0, 0);
    if (Float(1) <= x) return Interval::of(1, 1);
    arb_t a, b, result;
    arb_init(a);
    arb_init(b);
    arb_init(result);
    arb_set_arf(a, freedom.get());
    arb_mul_2exp_si(a, a, -1);
    arb_set_d(b, 0.5);
    arb_set_arf(result, x.get());
    arb_hypgeom_beta_lower(result, a, b, result, 1, Precision::bits());
    Interval found = Interval::line();
    if (arb_is_finite(result) != 0) arb_get_interval_arf(found.lo.get(), found.hi.get(), result, Precision::bits());
    arb_clear(a);
    arb_clear(b);
    arb_clear(result);
    return common(all, found);
}

}  // namespace

/// It rises with x and falls as the degrees of freedom rise.
Interval student_p(const Interval& freedom, const Interval& x) {
    if (freedom.lo.sign() <= 0 || !freedom.is_bounded()) return Interval::of(0, 1);
    return {beta_ratio(freedom.hi, x.lo).lo, beta_ratio(freedom.lo, x.hi).hi};
}

}  // namespace farfield::recheck
