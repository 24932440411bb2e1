// Functions of MpfiValue that are not monotone: trigonometric functions, powers and remainders.
#include <algorithm>

#include "numerics/mpfi_value.hpp"
#include "numerics/mpfr_value.hpp"

namespace farfield::numerics {

namespace {

using MpfrBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
using MpfiUnary = int (*)(mpfi_ptr, mpfi_srcptr);

bool is_tiny_negative(mpfr_srcptr x) {
    return mpfr_regular_p(x) != 0 && mpfr_sgn(x) < 0 && mpfr_get_exp(x) < -largest_reduced_exponent;
}

// MPFI's search for the quadrant does not terminate for a negative angle whose product with 2/pi underflows. Such ends
// are moved outward, to -2^-65536 and to zero.
MpfiValue reduced(MpfiUnary function, MpfiValue x) {
    MpfiValue result(x.bits());
    if (!is_reducible(x.lower()) || !is_reducible(x.upper())) return result;
    if (is_tiny_negative(x.lower())) mpfr_set_si_2exp(x.lower(), -1, -largest_reduced_exponent, MPFR_RNDD);
    if (is_tiny_negative(x.upper())) mpfr_set_zero(x.upper(), 1);
    function(result.get(), x.get());
    return result;
}

MpfiValue between(mpfr_srcptr low, mpfr_srcptr high, long bits) {
    MpfiValue result(bits);
    mpfr_set(result.lower(), low, MPFR_RNDD);
    mpfr_set(result.upper(), high, MPFR_RNDU);
    return result;
}

MpfiValue whole_line_of(long bits) {
    MpfiValue result(bits);
    mpfr_set_inf(result.lower(), -1);
    mpfr_set_inf(result.upper(), 1);
    return result;
}

// Whether both ends are the same number, including the sign of a zero.
bool is_one_number(const MpfiValue& x) {
    return x.is_point() && mpfr_signbit(x.lower()) == mpfr_signbit(x.upper());
}

// Bounds of a function that is monotone along every edge of the box, in either direction, from its values at the
// corners.
MpfiValue corner_bounds(MpfrBinary function, const MpfiValue& a, const MpfiValue& b) {
    const long bits = std::max(a.bits(), b.bits());
    MpfiValue result(bits);
    MpfiValue corner(bits);
    bool first = true;
    for (const mpfr_srcptr left : {a.lower(), a.upper()}) {
        for (const mpfr_srcptr right : {b.lower(), b.upper()}) {
            const bool is_repeated =
                (left == a.upper() && is_one_number(a)) || (right == b.upper() && is_one_number(b));
            if (is_repeated) continue;
            // The result is correctly rounded, so an inexact value lies between neighbours.
            const bool is_exact = function(corner.lower(), left, right, MPFR_RNDD) == 0;
            mpfr_set(corner.upper(), corner.lower(), MPFR_RNDU);
            if (!is_exact) mpfr_nextabove(corner.upper());
            result = first ? corner : hull(result, corner);
            first = false;
        }
    }
    return result;
}

bool is_odd_integer(mpfr_srcptr x) {
    if (mpfr_integer_p(x) == 0) return false;
    Multiprecision half = blank(mpfr_get_prec(x));
    mpfr_div_2ui(raw(half), x, 1, MPFR_RNDN);
    return mpfr_integer_p(raw(half)) == 0;
}

// For a base with negative values, the power is defined only for a single integer (or infinite) exponent.
MpfiValue power_of_signed(const MpfiValue& base, const MpfiValue& exponent) {
    const mpfr_srcptr y = exponent.lower();
    const long bits = std::max(base.bits(), exponent.bits());
    if (!exponent.is_point() || (mpfr_integer_p(y) == 0 && mpfr_inf_p(y) == 0)) return MpfiValue(bits);
    if (!is_odd_integer(y)) return corner_bounds(mpfr_pow, abs(base), exponent);
    if (mpfr_sgn(y) < 0 && base.has_zero()) return whole_line_of(bits);
    return corner_bounds(mpfr_pow, base, exponent);
}

// The remainder by one positive number, where a stays within one period: monotone, so the ends' remainders bound it.
bool remainder_in_one_period(const MpfiValue& a, mpfr_srcptr b, MpfiValue& result) {
    Multiprecision span = blank(a.bits());
    mpfr_sub(raw(span), a.upper(), a.lower(), MPFR_RNDU);
    if (mpfr_less_p(raw(span), b) == 0) return false;
    MpfiValue low(result.bits());
    MpfiValue high(result.bits());
    mod_into(low.lower(), a.lower(), b, MPFR_RNDD);
    mod_into(low.upper(), a.lower(), b, MPFR_RNDU);
    mod_into(high.lower(), a.upper(), b, MPFR_RNDD);
    mod_into(high.upper(), a.upper(), b, MPFR_RNDU);
    if (!a.is_point() && mpfr_lessequal_p(low.upper(), high.lower()) == 0) return false;
    result = between(low.lower(), high.upper(), result.bits());
    return true;
}

// The remainder where floor(a/b) = k throughout: a - k b, never outside [0, b].
bool remainder_with_one_quotient(const MpfiValue& a, const MpfiValue& b, MpfiValue& result) {
    const MpfiValue quotient = floor(a / b);
    if (!quotient.is_point() || quotient.has_infinity()) return false;
    const MpfiValue divisor = between(b.upper(), b.upper(), b.bits());
    result = clamp(a - quotient * b, MpfiValue(0.0, 53), divisor);
    return true;
}

MpfiValue mod_positive(const MpfiValue& a, const MpfiValue& b) {
    MpfiValue result(std::max(a.bits(), b.bits()));
    if (b.is_point() && !b.has_infinity() && remainder_in_one_period(a, b.lower(), result)) return result;
    if (!b.has_infinity() && remainder_with_one_quotient(a, b, result)) return result;
    if (b.has_infinity() && mpfr_sgn(a.lower()) >= 0 && mpfr_less_p(a.upper(), b.lower()) != 0) return a;
    mpfr_set_zero(result.lower(), 1);
    mpfr_set(result.upper(), b.upper(), MPFR_RNDU);
    return result;
}

}  // namespace

MpfiValue sin(const MpfiValue& x) {
    return reduced(mpfi_sin, x);
}
MpfiValue cos(const MpfiValue& x) {
    return reduced(mpfi_cos, x);
}
MpfiValue tan(const MpfiValue& x) {
    return reduced(mpfi_tan, x);
}

// If a box does not touch the negative x axis or the origin, its extreme angles are at its corners.
MpfiValue atan2(const MpfiValue& y, const MpfiValue& x) {
    const long bits = std::max(y.bits(), x.bits());
    if (y.is_undefined() || x.is_undefined()) return MpfiValue(bits);
    if (!y.has_zero() || mpfr_sgn(x.lower()) > 0) return corner_bounds(mpfr_atan2, y, x);
    const MpfiValue pi = MpfiValue::pi(bits);
    return hull(-pi, pi);
}

MpfiValue pow(const MpfiValue& base, const MpfiValue& exponent) {
    const long bits = std::max(base.bits(), exponent.bits());
    if (base.is_undefined() || exponent.is_undefined()) return MpfiValue(bits);
    if (mpfr_sgn(base.lower()) < 0) return power_of_signed(base, exponent);
    // An odd negative power of a zero is infinite with the zero's sign, which is not known.
    const bool even = exponent.is_point() && !is_odd_integer(exponent.lower());
    if (base.has_zero() && mpfr_sgn(exponent.lower()) < 0 && !even) return whole_line_of(bits);
    return corner_bounds(mpfr_pow, base, exponent);
}

MpfiValue mod(const MpfiValue& a, const MpfiValue& b) {
    const bool indefinite = a.is_undefined() || b.is_undefined() || a.has_infinity() || b.has_zero();
    if (indefinite) return MpfiValue(std::max(a.bits(), b.bits()));
    return mpfr_sgn(b.lower()) > 0 ? mod_positive(a, b) : -mod_positive(-a, -b);
}

}  // namespace farfield::numerics
