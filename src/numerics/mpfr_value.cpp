#include "numerics/mpfr_value.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace farfield::numerics {

namespace {

mpfr_rnd_t opposite(mpfr_rnd_t rounding) {
    if (rounding == MPFR_RNDD) return MPFR_RNDU;
    return rounding == MPFR_RNDU ? MPFR_RNDD : rounding;
}

// Skips digits from `at` on, and returns whether there were any.
bool skip_digits(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at > start;
}

bool skip_sign(std::string_view text, std::size_t& at) {
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    return true;
}

// A bound of erf(x) for x > 0, from below with MPFR_RNDD and from above with MPFR_RNDU:
// 2/sqrt(pi) x exp(-x^2) times the sum of (2 x^2)^k / (1*3*...*(2k + 1)), whose terms are all positive.
Multiprecision erf_bound(mpfr_srcptr x, long bits, mpfr_rnd_t rounding) {
    Multiprecision sum = blank(bits);
    mpfr_set_ui(raw(sum), 1, MPFR_RNDN);
    Multiprecision ratio = blank(bits);
    mpfr_sqr(raw(ratio), x, rounding);
    mpfr_mul_2ui(raw(ratio), raw(ratio), 1, rounding);
    Multiprecision term = sum;
    for (unsigned long k = 1;; ++k) {
        mpfr_mul(raw(term), raw(term), raw(ratio), rounding);
        mpfr_div_ui(raw(term), raw(term), 2 * k + 1, rounding);
        mpfr_add(raw(sum), raw(sum), raw(term), rounding);
        // From here on each term is at most half of the one before, so the sum of all omitted terms is at most this
        // term.
        const bool is_halved = mpfr_cmp_ui(raw(ratio), k) <= 0;
        if (is_halved && mpfr_get_exp(raw(term)) < mpfr_get_exp(raw(sum)) - bits) break;
    }
    if (rounding == MPFR_RNDU) mpfr_add(raw(sum), raw(sum), raw(term), rounding);
    Multiprecision factor = blank(bits);
    mpfr_sqr(raw(factor), x, opposite(rounding));
    mpfr_neg(raw(factor), raw(factor), MPFR_RNDN);
    mpfr_exp(raw(factor), raw(factor), rounding);
    mpfr_mul(raw(sum), raw(sum), raw(factor), rounding);
    mpfr_mul_2ui(raw(sum), raw(sum), 1, rounding);
    mpfr_const_pi(raw(factor), opposite(rounding));
    mpfr_sqrt(raw(factor), raw(factor), opposite(rounding));
    mpfr_div(raw(sum), raw(sum), raw(factor), rounding);
    // Multiply last, when the other factor is above 1: the smallest x would underflow if multiplied by a smaller
    // factor.
    mpfr_mul(raw(sum), raw(sum), x, rounding);
    return sum;
}

}  // namespace

long bits_for_digits(int digits) {
    return static_cast<long>(std::ceil(digits * 3.3219280948873626)) + 8;
}

bool is_decimal(std::string_view text) {
    std::size_t at = 0;
    skip_sign(text, at);
    bool digits = skip_digits(text, at);
    if (at < text.size() && text[at] == '.') {
        ++at;
        digits = skip_digits(text, at) || digits;
    }
    if (!digits) return false;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        ++at;
        skip_sign(text, at);
        if (!skip_digits(text, at)) return false;
    }
    return at == text.size();
}

// max(x, 0) + log1p(exp(-|x|)): every step increases with the one before, so all steps round in the same direction.
void softplus_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    Multiprecision work = blank(std::max(mpfr_get_prec(out), mpfr_get_prec(x)) + 32);
    const bool positive = mpfr_nan_p(x) == 0 && mpfr_sgn(x) > 0;
    mpfr_set(raw(work), x, rounding);
    if (positive) mpfr_neg(raw(work), raw(work), rounding);
    mpfr_exp(raw(work), raw(work), rounding);
    mpfr_log1p(raw(work), raw(work), rounding);
    if (positive) {
        mpfr_add(out, x, raw(work), rounding);
    } else {
        mpfr_set(out, raw(work), rounding);
    }
}

// 1/(1 + exp(-x)), whose denominator is rounded in the opposite direction.
void sigmoid_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    Multiprecision denominator = blank(std::max(mpfr_get_prec(out), mpfr_get_prec(x)) + 32);
    mpfr_neg(raw(denominator), x, MPFR_RNDN);
    mpfr_exp(raw(denominator), raw(denominator), opposite(rounding));
    mpfr_add_ui(raw(denominator), raw(denominator), 1, opposite(rounding));
    mpfr_ui_div(out, 1, raw(denominator), rounding);
}

// MPFR 4.2.0 adds up 1 - x^2/3 + x^4/10 - ... and aborts the program if a partial sum is below 2^-1024, as for the
// number of 1024 bits next to sqrt(3). Numbers of at most 512 bits are never that near to such a zero.
int mpfr_erf(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    constexpr long most_bits = 512;
    const long bits = std::max(mpfr_get_prec(out), mpfr_get_prec(x));
    if (bits <= most_bits || mpfr_regular_p(x) == 0) {
        ::mpfr_erf(out, x, rounding);
        return 0;
    }
    Multiprecision magnitude = blank(mpfr_get_prec(x));
    mpfr_abs(raw(magnitude), x, MPFR_RNDN);
    const bool is_negative = mpfr_sgn(x) < 0;
    const mpfr_rnd_t inner = is_negative ? opposite(rounding) : rounding;
    Multiprecision square = blank(bits);
    mpfr_sqr(raw(square), x, MPFR_RNDD);
    // 1 - erf(x) < exp(-x^2) < 2^-bits/2: the value is between 1 and the number below it, and nearer to 1.
    if (mpfr_cmp_si(raw(square), bits) > 0) {
        mpfr_set_si(out, is_negative ? -1 : 1, MPFR_RNDN);
        if (inner == MPFR_RNDD) is_negative ? mpfr_nextabove(out) : mpfr_nextbelow(out);
        return 0;
    }
    for (long guard = 64;; guard *= 2) {
        const Multiprecision low = erf_bound(raw(magnitude), bits + guard, MPFR_RNDD);
        const Multiprecision high = erf_bound(raw(magnitude), bits + guard, MPFR_RNDU);
        Multiprecision rounded = blank(mpfr_get_prec(out));
        mpfr_set(raw(rounded), raw(low), inner);
        mpfr_set(out, raw(high), inner);
        if (mpfr_equal_p(raw(rounded), out) != 0) break;
    }
    if (is_negative) mpfr_neg(out, out, MPFR_RNDN);
    return 0;
}

// The truncated remainder is a multiple of the smaller unit in the last place and smaller than both operands, so it is
// exact.
void mod_into(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding) {
    Multiprecision remainder = blank(std::max(mpfr_get_prec(a), mpfr_get_prec(b)));
    mpfr_fmod(raw(remainder), a, b, MPFR_RNDN);
    if (mpfr_zero_p(raw(remainder)) != 0) {
        mpfr_set_zero(out, mpfr_signbit(b) != 0 ? -1 : 1);
    } else if (mpfr_nan_p(raw(remainder)) == 0 && mpfr_signbit(raw(remainder)) != mpfr_signbit(b)) {
        mpfr_add(out, raw(remainder), b, rounding);
    } else {
        mpfr_set(out, raw(remainder), rounding);
    }
}

}  // namespace farfield::numerics
