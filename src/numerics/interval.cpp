#include "farfield/numerics/interval.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "numerics/directed.hpp"
#include "numerics/mpfr_value.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

bool has_zero(const Interval& x) {
    return x.lo <= 0 && x.hi >= 0;
}
bool has_infinity(const Interval& x) {
    return x.lo == -infinity || x.hi == infinity;
}
bool either_undefined(const Interval& a, const Interval& b) {
    return is_undefined(a) || is_undefined(b);
}

/// a*b where b is not negative.
Interval times_positive(const Interval& a, const Interval& b) {
    return {multiply_down(a.lo, a.lo >= 0 ? b.lo : b.hi), multiply_up(a.hi, a.hi >= 0 ? b.hi : b.lo)};
}

Interval rounded_outward(mpfr_srcptr down, mpfr_srcptr up) {
    return {mpfr_get_d(down, MPFR_RNDD), mpfr_get_d(up, MPFR_RNDU)};
}

}  // namespace

Interval enclose_decimal(std::string_view text) {
    if (!is_decimal(text)) {
        refuse("numerics::enclose_decimal", "text", "'" + std::string(text) + "'", "a decimal number");
    }
    const std::string terminated(text);
    Multiprecision low = blank(53);
    Multiprecision high = blank(53);
    mpfr_strtofr(raw(low), terminated.c_str(), nullptr, 10, MPFR_RNDD);
    mpfr_strtofr(raw(high), terminated.c_str(), nullptr, 10, MPFR_RNDU);
    return rounded_outward(raw(low), raw(high));
}

Interval enclose_pi() {
    return {0x1.921fb54442d18p+1, 0x1.921fb54442d19p+1};
}
Interval enclose_e() {
    return {0x1.5bf0a8b145769p+1, 0x1.5bf0a8b14576ap+1};
}

Interval hull(const Interval& a, const Interval& b) {
    if (either_undefined(a, b)) return undefined_interval();
    return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

double width(const Interval& x) {
    return is_point(x) ? 0 : add_up(x.hi, -x.lo);
}

double midpoint(const Interval& x) {
    if (x.lo == -x.hi) return 0;
    if (x.lo == -infinity) return -std::numeric_limits<double>::max();
    if (x.hi == infinity) return std::numeric_limits<double>::max();
    return std::clamp(x.lo / 2 + x.hi / 2, x.lo, x.hi);
}

Interval operator-(const Interval& x) {
    return {-x.hi, -x.lo};
}

Interval operator+(const Interval& a, const Interval& b) {
    const bool opposed = (a.hi == infinity && b.lo == -infinity) || (a.lo == -infinity && b.hi == infinity);
    if (opposed || either_undefined(a, b)) return undefined_interval();
    return {add_down(a.lo, b.lo), add_up(a.hi, b.hi)};
}

Interval operator-(const Interval& a, const Interval& b) {
    return a + -b;
}

Interval operator*(const Interval& a, const Interval& b) {
    if (either_undefined(a, b)) return undefined_interval();
    if ((has_zero(a) && has_infinity(b)) || (has_infinity(a) && has_zero(b))) return undefined_interval();
    if (b.lo >= 0) return times_positive(a, b);
    if (a.lo >= 0) return times_positive(b, a);
    if (b.hi <= 0) return -times_positive(a, -b);
    if (a.hi <= 0) return -times_positive(b, -a);
    return {std::min(multiply_down(a.lo, b.hi), multiply_down(a.hi, b.lo)),
            std::max(multiply_up(a.lo, b.lo), multiply_up(a.hi, b.hi))};
}

Interval operator/(const Interval& a, const Interval& b) {
    if (either_undefined(a, b)) return undefined_interval();
    if ((has_zero(a) && has_zero(b)) || (has_infinity(a) && has_infinity(b))) return undefined_interval();
    if (has_zero(b)) return whole_line();
    return {
        std::min({divide_down(a.lo, b.lo), divide_down(a.lo, b.hi), divide_down(a.hi, b.lo), divide_down(a.hi, b.hi)}),
        std::max({divide_up(a.lo, b.lo), divide_up(a.lo, b.hi), divide_up(a.hi, b.lo), divide_up(a.hi, b.hi)})};
}

Interval sqrt(const Interval& x) {
    return x.lo >= 0 ? Interval{sqrt_down(x.lo), sqrt_up(x.hi)} : undefined_interval();
}

Interval abs(const Interval& x) {
    if (is_undefined(x) || x.lo >= 0) return x;
    if (x.hi <= 0) return -x;
    return {0, std::max(-x.lo, x.hi)};
}

Interval floor(const Interval& x) {
    return {std::floor(x.lo), std::floor(x.hi)};
}
Interval ceil(const Interval& x) {
    return {std::ceil(x.lo), std::ceil(x.hi)};
}

// The processor is in its default rounding mode, to nearest even, which nearbyint follows.
Interval round(const Interval& x) {
    return {std::nearbyint(x.lo), std::nearbyint(x.hi)};
}

Interval sign(const Interval& x) {
    if (is_undefined(x)) return x;
    return {static_cast<double>((x.lo > 0) - (x.lo < 0)), static_cast<double>((x.hi > 0) - (x.hi < 0))};
}

Interval min(const Interval& a, const Interval& b) {
    if (either_undefined(a, b)) return undefined_interval();
    return {std::min(a.lo, b.lo), std::min(a.hi, b.hi)};
}

Interval max(const Interval& a, const Interval& b) {
    if (either_undefined(a, b)) return undefined_interval();
    return {std::max(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Interval clamp(const Interval& x, const Interval& low, const Interval& high) {
    return min(max(x, low), high);
}

Truth less(const Interval& a, const Interval& b) {
    if (a.hi < b.lo) return Truth::yes;
    return a.lo >= b.hi ? Truth::no : Truth::unknown;
}

Truth less_equal(const Interval& a, const Interval& b) {
    if (a.hi <= b.lo) return Truth::yes;
    return a.lo > b.hi ? Truth::no : Truth::unknown;
}

Truth equal(const Interval& a, const Interval& b) {
    if (is_point(a) && is_point(b) && a.lo == b.lo) return Truth::yes;
    return a.hi < b.lo || b.hi < a.lo ? Truth::no : Truth::unknown;
}

}  // namespace farfield::numerics
