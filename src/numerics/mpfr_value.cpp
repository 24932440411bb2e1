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

// Steps over a run of digits from `at` and says whether there were any.
bool skip_digits(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    while (at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0) ++at;
    return at > start;
}

bool skip_sign(std::string_view text, std::size_t& at) {
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    return true;
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

// max(x, 0) + log1p(exp(-|x|)): every step grows with the one before, so one direction serves all of them.
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

// exp(x)/(1 + exp(x)) below zero and 1/(1 + exp(-x)) above, where the denominator's error counts the other way.
void sigmoid_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    const long bits = std::max(mpfr_get_prec(out), mpfr_get_prec(x)) + 32;
    Multiprecision power = blank(bits);
    Multiprecision denominator = blank(bits);
    const bool positive = mpfr_nan_p(x) == 0 && mpfr_sgn(x) > 0;
    mpfr_set(raw(power), x, MPFR_RNDN);
    if (positive) mpfr_neg(raw(power), raw(power), MPFR_RNDN);
    mpfr_exp(raw(power), raw(power), positive ? opposite(rounding) : rounding);
    mpfr_add_ui(raw(denominator), raw(power), 1, opposite(rounding));
    if (positive) {
        mpfr_ui_div(out, 1, raw(denominator), rounding);
    } else {
        mpfr_div(out, raw(power), raw(denominator), rounding);
    }
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
