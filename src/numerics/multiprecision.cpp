#include "farfield/numerics/multiprecision.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "numerics/mpfr_value.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

static_assert(sizeof(mpfr_t) <= 32 && alignof(mpfr_t) <= 8, "Multiprecision's storage must hold an mpfr_t");

namespace {

using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

Multiprecision apply(Unary function, const Multiprecision& x) {
    Multiprecision result = blank(x.bits());
    function(raw(result), raw(x), MPFR_RNDN);
    return result;
}

Multiprecision apply(Binary function, const Multiprecision& a, const Multiprecision& b) {
    Multiprecision result = blank(std::max(a.bits(), b.bits()));
    function(raw(result), raw(a), raw(b), MPFR_RNDN);
    return result;
}

Multiprecision apply_reduced(Unary function, const Multiprecision& x) {
    return is_reducible(raw(x)) ? apply(function, x) : blank(x.bits());
}

long checked_bits(int digits) {
    if (digits < 1 || digits > Multiprecision::largest_digits) {
        refuse("numerics::Multiprecision", "digits", std::to_string(digits),
               "1 to " + std::to_string(Multiprecision::largest_digits));
    }
    return bits_for_digits(digits);
}

}  // namespace

Multiprecision::Multiprecision(Uninitialised wanted) {
    free_caches_with_thread();
    mpfr_init2(new (storage_) __mpfr_struct, wanted.bits);
}

Multiprecision::Multiprecision(double value, int digits) : Multiprecision(Uninitialised{checked_bits(digits)}) {
    mpfr_set_d(raw(*this), value, MPFR_RNDN);
}

Multiprecision Multiprecision::with_bits(double value, long bits) {
    if (bits < 2) refuse("numerics::Multiprecision::with_bits", "bits", std::to_string(bits), "2 or more");
    Multiprecision result(Uninitialised{bits});
    mpfr_set_d(raw(result), value, MPFR_RNDN);
    return result;
}

Multiprecision Multiprecision::from_text(std::string_view text, int digits) {
    if (!is_decimal(text)) {
        refuse("numerics::Multiprecision::from_text", "text", "'" + std::string(text) + "'", "a decimal number");
    }
    Multiprecision result(Uninitialised{checked_bits(digits)});
    mpfr_strtofr(raw(result), std::string(text).c_str(), nullptr, 10, MPFR_RNDN);
    return result;
}

Multiprecision Multiprecision::pi(int digits) {
    Multiprecision result(Uninitialised{checked_bits(digits)});
    mpfr_const_pi(raw(result), MPFR_RNDN);
    return result;
}

Multiprecision Multiprecision::e(int digits) {
    return exp(Multiprecision(1.0, digits));
}

Multiprecision::Multiprecision(const Multiprecision& other) : Multiprecision(Uninitialised{other.bits()}) {
    mpfr_set(raw(*this), raw(other), MPFR_RNDN);
}

// A moved-from number keeps its precision and no digits; only destruction and assignment are valid on it.
Multiprecision::Multiprecision(Multiprecision&& other) noexcept {
    new (storage_) __mpfr_struct(*raw(other));
    raw(other)->_mpfr_d = nullptr;
}

Multiprecision& Multiprecision::operator=(const Multiprecision& other) {
    if (this != &other) *this = Multiprecision(other);
    return *this;
}

Multiprecision& Multiprecision::operator=(Multiprecision&& other) noexcept {
    std::swap(*raw(*this), *raw(other));
    return *this;
}

Multiprecision::~Multiprecision() {
    if (raw(*this)->_mpfr_d != nullptr) mpfr_clear(raw(*this));
}

long Multiprecision::bits() const {
    return mpfr_get_prec(raw(*this));
}

double Multiprecision::to_double() const {
    return mpfr_get_d(raw(*this), MPFR_RNDN);
}

std::string Multiprecision::to_string(int digits) const {
    char* text = nullptr;
    const int length = mpfr_asprintf(&text, "%.*Rg", digits, raw(*this));
    const std::unique_ptr<char, decltype(&mpfr_free_str)> owner(text, &mpfr_free_str);
    return std::string(text, static_cast<std::size_t>(length));
}

bool Multiprecision::is_nan() const {
    return mpfr_nan_p(raw(*this)) != 0;
}
bool Multiprecision::is_infinite() const {
    return mpfr_inf_p(raw(*this)) != 0;
}

Multiprecision operator-(const Multiprecision& x) {
    return apply(mpfr_neg, x);
}
Multiprecision operator+(const Multiprecision& a, const Multiprecision& b) {
    return apply(mpfr_add, a, b);
}
Multiprecision operator-(const Multiprecision& a, const Multiprecision& b) {
    return apply(mpfr_sub, a, b);
}
Multiprecision operator*(const Multiprecision& a, const Multiprecision& b) {
    return apply(mpfr_mul, a, b);
}
Multiprecision operator/(const Multiprecision& a, const Multiprecision& b) {
    return apply(mpfr_div, a, b);
}
Multiprecision pow(const Multiprecision& a, const Multiprecision& b) {
    return apply(mpfr_pow, a, b);
}

Multiprecision mod(const Multiprecision& a, const Multiprecision& b) {
    Multiprecision result = blank(std::max(a.bits(), b.bits()));
    mod_into(raw(result), raw(a), raw(b), MPFR_RNDN);
    return result;
}

bool operator<(const Multiprecision& a, const Multiprecision& b) {
    return mpfr_less_p(raw(a), raw(b)) != 0;
}
bool operator<=(const Multiprecision& a, const Multiprecision& b) {
    return mpfr_lessequal_p(raw(a), raw(b)) != 0;
}
bool operator>(const Multiprecision& a, const Multiprecision& b) {
    return b < a;
}
bool operator>=(const Multiprecision& a, const Multiprecision& b) {
    return b <= a;
}
bool operator==(const Multiprecision& a, const Multiprecision& b) {
    return mpfr_equal_p(raw(a), raw(b)) != 0;
}

Multiprecision abs(const Multiprecision& x) {
    return apply(mpfr_abs, x);
}
Multiprecision sqrt(const Multiprecision& x) {
    return apply(mpfr_sqrt, x);
}
#define FARFIELD_APPLY_rising apply
#define FARFIELD_APPLY_angle apply_reduced
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    Multiprecision stem(const Multiprecision& x) {                \
        return FARFIELD_APPLY_##shape(mpfr_##stem, x);            \
    }
#include "farfield/numerics/functions.def"
#undef FARFIELD_APPLY_rising
#undef FARFIELD_APPLY_angle
Multiprecision atan2(const Multiprecision& y, const Multiprecision& x) {
    return apply(mpfr_atan2, y, x);
}
Multiprecision floor(const Multiprecision& x) {
    return apply(mpfr_rint_floor, x);
}
Multiprecision ceil(const Multiprecision& x) {
    return apply(mpfr_rint_ceil, x);
}
Multiprecision round(const Multiprecision& x) {
    return apply(mpfr_rint_roundeven, x);
}

Multiprecision sine_integral(const Multiprecision& x) {
    Multiprecision result = blank(x.bits());
    sine_integral_into(raw(result), raw(x), MPFR_RNDN);
    return result;
}

Multiprecision binomial(const Multiprecision& n, const Multiprecision& k) {
    Multiprecision result = blank(std::max(n.bits(), k.bits()));
    binomial_into(raw(result), raw(n), raw(k), MPFR_RNDN);
    return result;
}

Multiprecision softplus(const Multiprecision& x) {
    Multiprecision result = blank(x.bits());
    softplus_into(raw(result), raw(x), MPFR_RNDN);
    return result;
}

Multiprecision sigmoid(const Multiprecision& x) {
    Multiprecision result = blank(x.bits());
    sigmoid_into(raw(result), raw(x), MPFR_RNDN);
    return result;
}

Multiprecision sign(const Multiprecision& x) {
    if (x.is_nan()) return x;
    return Multiprecision::with_bits(mpfr_sgn(raw(x)), x.bits());
}

Multiprecision min(const Multiprecision& a, const Multiprecision& b) {
    return a.is_nan() || b.is_nan() ? blank(std::max(a.bits(), b.bits())) : apply(mpfr_min, a, b);
}

Multiprecision max(const Multiprecision& a, const Multiprecision& b) {
    return a.is_nan() || b.is_nan() ? blank(std::max(a.bits(), b.bits())) : apply(mpfr_max, a, b);
}

Multiprecision clamp(const Multiprecision& x, const Multiprecision& low, const Multiprecision& high) {
    return min(max(x, low), high);
}

}  // namespace farfield::numerics
