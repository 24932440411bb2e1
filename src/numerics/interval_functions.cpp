#include "farfield/numerics/interval_functions.hpp"

#include <algorithm>

#include "numerics/directed.hpp"
#include "numerics/mpfi_value.hpp"

namespace farfield::numerics {

namespace {

constexpr long working_bits = 96;

template <class Function>
Interval through_mpfi(Function function, const Interval& x) {
    return function(MpfiValue(x, working_bits)).to_interval();
}

template <class Function>
Interval through_mpfi(Function function, const Interval& a, const Interval& b) {
    return function(MpfiValue(a, working_bits), MpfiValue(b, working_bits)).to_interval();
}

// The remainder of one number by b > 0. The library's fmod is exact; adding b to a negative one rounds.
Interval remainder_of_point(double a, double b) {
    const double remainder = std::fmod(a, b);
    if (remainder >= 0) return point(remainder);
    return {add_down(remainder, b), add_up(remainder, b)};
}

Interval mod_by_positive(const Interval& a, const Interval& b) {
    if (is_point(b) && width(a) < b.lo) {
        const Interval low = remainder_of_point(a.lo, b.lo);
        const Interval high = remainder_of_point(a.hi, b.lo);
        // If the ends are less than a period apart and their remainders are in order, they are in the same period.
        if (is_point(a) || low.hi <= high.lo) return {low.lo, high.hi};
    }
    if (std::isinf(b.hi) && a.lo >= 0 && a.hi < b.lo) return a;
    const Interval all{0, b.hi};
    const Interval quotient = std::isinf(b.hi) ? whole_line() : floor(a / b);
    if (!is_point(quotient) || std::isinf(quotient.lo)) return all;
    return clamp(a - quotient * b, point(0), point(b.hi));
}

}  // namespace

#define FUNCTION(name, stem, shape, parity, lanes, device, slope)           \
    Interval stem(const Interval& x) {                                      \
        return through_mpfi([](const MpfiValue& v) { return stem(v); }, x); \
    }
#include "farfield/numerics/functions.def"
Interval sine_integral(const Interval& x) {
    return through_mpfi([](const MpfiValue& v) { return sine_integral(v); }, x);
}
Interval binomial(const Interval& n, const Interval& k) {
    return through_mpfi([](const MpfiValue& v, const MpfiValue& w) { return binomial(v, w); }, n, k);
}
Interval softplus(const Interval& x) {
    return through_mpfi([](const MpfiValue& v) { return softplus(v); }, x);
}
Interval sigmoid(const Interval& x) {
    return through_mpfi([](const MpfiValue& v) { return sigmoid(v); }, x);
}
Interval atan2(const Interval& y, const Interval& x) {
    return through_mpfi([](const MpfiValue& v, const MpfiValue& w) { return atan2(v, w); }, y, x);
}
Interval pow(const Interval& a, const Interval& b) {
    return through_mpfi([](const MpfiValue& v, const MpfiValue& w) { return pow(v, w); }, a, b);
}

Interval mod(const Interval& a, const Interval& b) {
    if (is_undefined(a) || is_undefined(b)) return undefined_interval();
    if (std::isinf(a.lo) || std::isinf(a.hi) || (b.lo <= 0 && b.hi >= 0)) return undefined_interval();
    return b.lo > 0 ? mod_by_positive(a, b) : -mod_by_positive(-a, -b);
}

}  // namespace farfield::numerics
