// The sine integral and binomial coefficients in multiprecision.
#include <gmp.h>

#include <algorithm>
#include <cmath>

#include "numerics/mpfi_value.hpp"
#include "numerics/mpfr_value.hpp"

namespace farfield::numerics {
namespace {

/// If a series is cut, the omitted part is smaller than the last term, because both series alternate.
bool is_negligible(mpfr_srcptr term, mpfr_srcptr total, long bits) {
    return mpfr_zero_p(term) != 0 || mpfr_get_exp(term) < mpfr_get_exp(total) - bits;
}

/// The sum of (-1)^k x^(2k+1)/((2k+1) (2k+1)!). The absolute values of its terms add up to less than |x| exp(|x|), so
/// that 2 |x|/log(2) more bits than `bits` suffice for their errors.
Multiprecision by_powers(mpfr_srcptr x, double size, long bits) {
    const long working = bits + static_cast<long>(3 * size) + 32;
    Multiprecision square = blank(working);
    Multiprecision power = blank(working);
    Multiprecision term = blank(working);
    Multiprecision total = blank(working);
    mpfr_sqr(raw(square), x, MPFR_RNDN);
    mpfr_set(raw(power), x, MPFR_RNDN);
    mpfr_set(raw(total), x, MPFR_RNDN);
    for (unsigned long k = 1;; ++k) {
        mpfr_mul(raw(power), raw(power), raw(square), MPFR_RNDN);
        mpfr_div_ui(raw(power), raw(power), 2 * k, MPFR_RNDN);
        mpfr_div_ui(raw(power), raw(power), 2 * k + 1, MPFR_RNDN);
        mpfr_neg(raw(power), raw(power), MPFR_RNDN);
        mpfr_div_ui(raw(term), raw(power), 2 * k + 1, MPFR_RNDN);
        mpfr_add(raw(total), raw(total), raw(term), MPFR_RNDN);
        // The terms fall from 2k > |x| on.
        if (2.0 * static_cast<double>(k) > size && is_negligible(raw(term), raw(total), bits + 8)) return total;
    }
}

/// pi/2 - f(x) cos(x) - g(x) sin(x) of a positive x, where f and g have asymptotic series: 0!/x - 2!/x^3 + ... and
/// 1!/x^2 - 3!/x^4 + ... For x > 0.7 bits + 20 their terms fall below 2^-bits.
Multiprecision by_asymptotics(mpfr_srcptr x, long bits) {
    const long working = bits + 32;
    Multiprecision total = blank(working);
    mpfr_const_pi(raw(total), MPFR_RNDN);
    mpfr_div_2ui(raw(total), raw(total), 1, MPFR_RNDN);
    if (mpfr_get_exp(x) > bits + 8) return total;  // f and g are below 1/x
    Multiprecision sine = blank(working);
    Multiprecision cosine = blank(working);
    Multiprecision term = blank(working);
    mpfr_sin_cos(raw(sine), raw(cosine), x, MPFR_RNDN);
    mpfr_ui_div(raw(term), 1, x, MPFR_RNDN);
    Multiprecision sums[2] = {term, blank(working)};
    mpfr_set_zero(raw(sums[1]), 1);
    // k!/x^(k+1), the signs + + - - and so on.
    for (unsigned long k = 1; !is_negligible(raw(term), raw(total), bits + 8); ++k) {
        mpfr_mul_ui(raw(term), raw(term), k, MPFR_RNDN);
        mpfr_div(raw(term), raw(term), x, MPFR_RNDN);
        Multiprecision& sum = sums[k % 2];
        (k % 4 < 2 ? mpfr_add : mpfr_sub)(raw(sum), raw(sum), raw(term), MPFR_RNDN);
    }
    mpfr_mul(raw(sums[0]), raw(sums[0]), raw(cosine), MPFR_RNDN);
    mpfr_mul(raw(sums[1]), raw(sums[1]), raw(sine), MPFR_RNDN);
    mpfr_sub(raw(total), raw(total), raw(sums[0]), MPFR_RNDN);
    mpfr_sub(raw(total), raw(total), raw(sums[1]), MPFR_RNDN);
    return total;
}

/// |Si(x)| is below |x|, and nearer to |x| than to the number before.
void just_below(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    const bool is_exact = mpfr_set(out, x, rounding) == 0;
    const bool towards_zero = rounding == MPFR_RNDZ || rounding == (mpfr_sgn(x) > 0 ? MPFR_RNDD : MPFR_RNDU);
    if (!is_exact || !towards_zero) return;
    mpfr_sgn(x) > 0 ? mpfr_nextbelow(out) : mpfr_nextabove(out);
}

void half_pi_into(mpfr_ptr out, int sign, mpfr_rnd_t rounding) {
    mpfr_const_pi(out, sign < 0 && rounding == MPFR_RNDD   ? MPFR_RNDU
                       : sign < 0 && rounding == MPFR_RNDU ? MPFR_RNDD
                                                           : rounding);
    mpfr_div_2ui(out, out, 1, MPFR_RNDN);
    if (sign < 0) mpfr_neg(out, out, MPFR_RNDN);
}

MpfiValue at_ends(mpfr_srcptr low, mpfr_srcptr high, long bits) {
    MpfiValue result(bits);
    MpfiValue other(bits);
    sine_integral_into(result.lower(), low, MPFR_RNDD);
    sine_integral_into(result.upper(), low, MPFR_RNDU);
    sine_integral_into(other.lower(), high, MPFR_RNDD);
    sine_integral_into(other.upper(), high, MPFR_RNDU);
    return hull(result, other);
}

/// Si at the k-th multiple of pi: its slope is at most 1.
MpfiValue at_multiple(long k, long bits) {
    const MpfiValue where = MpfiValue(static_cast<double>(k), bits) * MpfiValue::pi(bits);
    const MpfiValue width = where - where;
    return at_ends(where.lower(), where.lower(), bits) + width;
}

/// For x >= 0. Each extreme is nearer to pi/2 than the one before, so that the first two inside the interval bound the
/// rest.
MpfiValue of_positive(const MpfiValue& x) {
    constexpr double far = 0x1p30;
    const long bits = x.bits();
    MpfiValue result = at_ends(x.lower(), x.upper(), bits);
    if (x.is_point()) return result;
    const double low = mpfr_get_d(x.lower(), MPFR_RNDD);
    const double high = mpfr_get_d(x.upper(), MPFR_RNDU);
    if (low > far) {
        // |Si(x) - pi/2| < 1/x
        const MpfiValue one(1, bits);
        const MpfiValue half(0.5, bits);
        MpfiValue nearest(bits);
        mpfr_set(nearest.lower(), x.lower(), MPFR_RNDD);
        mpfr_set(nearest.upper(), x.lower(), MPFR_RNDU);
        const MpfiValue rest = one / nearest;
        return half * MpfiValue::pi(bits) + hull(rest, -rest);
    }
    const double least = std::max(1.0, std::ceil(low / M_PI * (1 - 0x1p-50)));
    const double most = high / M_PI * (1 + 0x1p-50);
    for (const double k : {least, least + 1})
        if (k <= most) result = hull(result, at_multiple(static_cast<long>(k), bits));
    return result;
}

}  // namespace

void sine_integral_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    if (mpfr_nan_p(x) != 0 || mpfr_zero_p(x) != 0) {
        mpfr_set(out, x, rounding);
        return;
    }
    if (mpfr_inf_p(x) != 0) return half_pi_into(out, mpfr_sgn(x), rounding);
    const long wanted = std::max(mpfr_get_prec(out), mpfr_get_prec(x));
    if (mpfr_get_exp(x) < -wanted - 4) return just_below(out, x, rounding);
    const double size = std::fabs(mpfr_get_d(x, MPFR_RNDN));
    Multiprecision magnitude = blank(mpfr_get_prec(x));
    mpfr_abs(raw(magnitude), x, MPFR_RNDN);
    for (long bits = mpfr_get_prec(out) + 32;; bits += bits / 2) {
        const bool is_far = size > 0.7 * static_cast<double>(bits + 8) + 20;
        Multiprecision value = is_far ? by_asymptotics(raw(magnitude), bits) : by_powers(raw(magnitude), size, bits);
        if (mpfr_sgn(x) < 0) mpfr_neg(raw(value), raw(value), MPFR_RNDN);
        if (mpfr_can_round(raw(value), bits, MPFR_RNDN, rounding, mpfr_get_prec(out)) == 0) continue;
        mpfr_set(out, raw(value), rounding);
        return;
    }
}

void binomial_into(mpfr_ptr out, mpfr_srcptr n, mpfr_srcptr k, mpfr_rnd_t rounding) {
    constexpr unsigned long most = 16384;
    mpfr_set_nan(out);
    const bool are_integers = mpfr_integer_p(n) != 0 && mpfr_integer_p(k) != 0;
    constexpr mpfr_exp_t most_binary_digits = 63;
    const bool is_large = mpfr_zero_p(n) == 0 && mpfr_get_exp(n) > most_binary_digits;
    if (!are_integers || mpfr_sgn(n) < 0 || is_large) return;
    if (mpfr_sgn(k) < 0 || mpfr_greater_p(k, n) != 0) {
        mpfr_set_zero(out, 1);
        return;
    }
    mpz_t whole, part, rest;
    mpz_inits(whole, part, rest, nullptr);
    mpfr_get_z(whole, n, MPFR_RNDN);
    mpfr_get_z(part, k, MPFR_RNDN);
    mpz_sub(rest, whole, part);
    if (mpz_cmp(rest, part) < 0) mpz_swap(rest, part);
    if (mpz_cmp_ui(part, most) <= 0) {
        mpz_bin_ui(whole, whole, mpz_get_ui(part));
        mpfr_set_z(out, whole, rounding);
    }
    mpz_clears(whole, part, rest, nullptr);
}

MpfiValue sine_integral(const MpfiValue& x) {
    if (x.is_undefined()) return MpfiValue(x.bits());
    if (mpfr_sgn(x.lower()) >= 0) return of_positive(x);
    if (mpfr_sgn(x.upper()) <= 0) return -of_positive(-x);
    MpfiValue above(0, x.bits());
    MpfiValue below(0, x.bits());
    mpfr_set(above.upper(), x.upper(), MPFR_RNDU);
    mpfr_neg(below.upper(), x.lower(), MPFR_RNDU);
    return hull(of_positive(above), -of_positive(below));
}

MpfiValue binomial(const MpfiValue& n, const MpfiValue& k) {
    MpfiValue result(std::max(n.bits(), k.bits()));
    if (n.is_undefined() || k.is_undefined() || !n.is_point() || !k.is_point()) return result;
    binomial_into(result.lower(), n.lower(), k.lower(), MPFR_RNDD);
    binomial_into(result.upper(), n.lower(), k.lower(), MPFR_RNDU);
    return result;
}

}  // namespace farfield::numerics
