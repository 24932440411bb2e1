// The MPFR number inside a Multiprecision, for this module and for evaluators that work on it in place.
#pragma once

#include <mpfr.h>

#include <new>

#include "farfield/numerics/format.hpp"
#include "farfield/numerics/multiprecision.hpp"

namespace farfield::numerics {

/// Opens a Multiprecision.
struct MultiprecisionAccess {
    static mpfr_ptr get(Multiprecision& value) { return std::launder(reinterpret_cast<mpfr_ptr>(value.storage_)); }
    static mpfr_srcptr get(const Multiprecision& value) {
        return std::launder(reinterpret_cast<mpfr_srcptr>(value.storage_));
    }
    static Multiprecision uninitialised(long bits) { return Multiprecision(Multiprecision::Uninitialised{bits}); }
};

inline mpfr_ptr raw(Multiprecision& value) {
    return MultiprecisionAccess::get(value);
}
inline mpfr_srcptr raw(const Multiprecision& value) {
    return MultiprecisionAccess::get(value);
}

/// Frees MPFR's caches of this thread when the thread ends; MPFR leaves that to its callers. Every number calls it.
inline void free_caches_with_thread() {
    struct Caches {
        Caches() = default;
        Caches(const Caches&) = delete;
        Caches& operator=(const Caches&) = delete;
        ~Caches() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
    };
    static thread_local const Caches caches;
}

/// A NaN of the given precision, to be written by an mpfr function.
inline Multiprecision blank(long bits) {
    return MultiprecisionAccess::uninitialised(bits);
}

/// Beyond this exponent trigonometric functions give NaN instead of reducing their argument.
constexpr long largest_reduced_exponent = 65536;

/// Whether sin, cos and tan of `x` are computed: finite, and not too large.
inline bool is_reducible(mpfr_srcptr x) {
    if (mpfr_zero_p(x) != 0) return true;
    return mpfr_number_p(x) != 0 && mpfr_get_exp(x) <= largest_reduced_exponent;
}

/// Bits that carry `digits` decimal digits, with eight guard bits.
long bits_for_digits(int digits);

/// Whether `text` is a decimal number as formulas write it, a leading sign allowed.
bool is_decimal(std::string_view text);

/// The function round_to() of numerics/rounding.hpp for an MPFR number.
double round_to(const Format& format, mpfr_srcptr value);

/// log(1 + exp(x)) into `out`, rounded in the direction asked for; with RNDN the error is below 0.51 ulp.
void softplus_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

/// 1/(1 + exp(-x)) into `out`, likewise.
void sigmoid_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

/// Si(x) into `out`, correctly rounded: by its power series for small x, and by the asymptotic series for large x.
void sine_integral_into(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

/// n choose k into `out`, correctly rounded; NaN outside the domain that its row states.
void binomial_into(mpfr_ptr out, mpfr_srcptr n, mpfr_srcptr k, mpfr_rnd_t rounding);

/// The error function into `out`, correctly rounded, in place of MPFR's own, which fails for some numbers of more than
/// 512 bits. Returns 0, not whether it is exact.
int mpfr_erf(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding);

/// a - b floor(a/b) into `out`, correctly rounded in the requested direction if `out` has at least the precision of the
/// operands.
void mod_into(mpfr_ptr out, mpfr_srcptr a, mpfr_srcptr b, mpfr_rnd_t rounding);

}  // namespace farfield::numerics
