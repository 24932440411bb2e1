#include "farfield/numerics/phase.hpp"

#include <string>

#include "numerics/mpfr_value.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

// 2 pi to 161 bits. Each part is the double nearest to the remainder of the parts before (a test recomputes them with
// MPFR).
constexpr double turn_high = 0x1.921fb54442d18p+2;
constexpr double turn_middle = 0x1.1a62633145c07p-52;
constexpr double turn_low = -0x1.f1976b7ed8fbcp-108;

}  // namespace

DoubleDouble to_double_double(const Multiprecision& value) {
    const double high = value.to_double();
    if (!std::isfinite(high)) return {high, 0};
    return {high, (value - Multiprecision::with_bits(high, value.bits() + 53)).to_double()};
}

// The leading difference n theta - k (2 pi) is exact by Sterbenz's lemma, as both are within a half turn of each other;
// the rest are error terms, added in double-double.
DoubleDouble reduced_phase(const DoubleDouble& theta, std::int64_t n) {
    const auto steps = static_cast<double>(n);
    const DoubleDouble angle = two_product(steps, theta.hi);
    if (!(std::fabs(steps) <= 0x1p53 && std::fabs(angle.hi) <= 0x1p40)) {
        refuse("numerics::reduced_phase", "n theta", std::to_string(n) + " * " + std::to_string(theta.hi),
               "|n| <= 2^53 and |n theta| <= 2^40");
    }
    const double turns = std::nearbyint(angle.hi / turn_high);
    const DoubleDouble high = two_product(turns, turn_high);
    const DoubleDouble middle = two_product(turns, turn_middle);
    const DoubleDouble correction = two_product(steps, theta.lo);
    const DoubleDouble leading = two_sum(angle.hi - high.hi, angle.lo) - DoubleDouble{high.lo, 0};
    return leading + (correction - middle) - DoubleDouble{turns * turn_low, 0};
}

}  // namespace farfield::numerics
