#include "numerics/mpfi_value.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "numerics/mpfr_value.hpp"
#include "numerics/precondition.hpp"

namespace farfield::numerics {

namespace {

using MpfrUnary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
using MpfiBinary = int (*)(mpfi_ptr, mpfi_srcptr, mpfi_srcptr);

/// `bits`, which must hold a double.
long double_bits(long bits) {
    if (bits < 53) refuse("numerics::MpfiValue", "bits", std::to_string(bits), "53 or more");
    return bits;
}

bool either_undefined(const MpfiValue& a, const MpfiValue& b) {
    return a.is_undefined() || b.is_undefined();
}

MpfiValue combined(MpfiBinary function, const MpfiValue& a, const MpfiValue& b) {
    MpfiValue result(std::max(a.bits(), b.bits()));
    function(result.get(), a.get(), b.get());
    return result;
}

// A function that never decreases maps ends to ends. If it is NaN at one of them, the result is undefined.
MpfiValue increasing(MpfrUnary function, const MpfiValue& x) {
    MpfiValue result(x.bits());
    function(result.lower(), x.lower(), MPFR_RNDD);
    function(result.upper(), x.upper(), MPFR_RNDU);
    return result;
}

int softplus_of(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    softplus_into(out, x, rounding);
    return 0;
}

int sigmoid_of(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    sigmoid_into(out, x, rounding);
    return 0;
}

int sign_of(mpfr_ptr out, mpfr_srcptr x, mpfr_rnd_t rounding) {
    return mpfr_nan_p(x) != 0 ? mpfr_set(out, x, rounding) : mpfr_set_si(out, mpfr_sgn(x), rounding);
}

}  // namespace

MpfiValue::MpfiValue(long bits) {
    free_caches_with_thread();
    mpfi_init2(value_, bits);
}

MpfiValue::MpfiValue(double value, long bits) : MpfiValue(point(value), bits) {}

MpfiValue::MpfiValue(const Interval& enclosure, long bits) : MpfiValue(double_bits(bits)) {
    mpfr_set_d(lower(), enclosure.lo, MPFR_RNDD);
    mpfr_set_d(upper(), enclosure.hi, MPFR_RNDU);
}

MpfiValue MpfiValue::from_text(std::string_view text, long bits) {
    if (!is_decimal(text)) {
        refuse("numerics::MpfiValue::from_text", "text", "'" + std::string(text) + "'", "a decimal number");
    }
    MpfiValue result(bits);
    mpfr_strtofr(result.lower(), std::string(text).c_str(), nullptr, 10, MPFR_RNDD);
    mpfr_strtofr(result.upper(), std::string(text).c_str(), nullptr, 10, MPFR_RNDU);
    return result;
}

MpfiValue MpfiValue::around(const Multiprecision& value, long bits) {
    MpfiValue result(bits);
    mpfr_set(result.lower(), raw(value), MPFR_RNDD);
    mpfr_set(result.upper(), raw(value), MPFR_RNDU);
    return result;
}

MpfiValue MpfiValue::pi(long bits) {
    MpfiValue result(bits);
    mpfi_const_pi(result.get());
    return result;
}

MpfiValue MpfiValue::e(long bits) {
    MpfiValue one(bits);
    mpfi_set_ui(one.get(), 1);
    return exp(one);
}

MpfiValue::MpfiValue(const MpfiValue& other) : MpfiValue(other.bits()) {
    mpfi_set(value_, other.value_);
}

// A moved-from interval holds no digits; only destruction and assignment are valid on it.
MpfiValue::MpfiValue(MpfiValue&& other) noexcept {
    value_[0] = other.value_[0];
    other.lower()->_mpfr_d = nullptr;
    other.upper()->_mpfr_d = nullptr;
}

MpfiValue& MpfiValue::operator=(MpfiValue other) noexcept {
    std::swap(value_[0], other.value_[0]);
    return *this;
}

MpfiValue::~MpfiValue() {
    if (lower()->_mpfr_d != nullptr) mpfi_clear(value_);
}

bool MpfiValue::contains(const Multiprecision& number) const {
    return is_undefined() ||
           (mpfr_lessequal_p(lower(), raw(number)) != 0 && mpfr_lessequal_p(raw(number), upper()) != 0);
}

Interval MpfiValue::to_interval() const {
    if (is_undefined()) return undefined_interval();
    return {mpfr_get_d(lower(), MPFR_RNDD), mpfr_get_d(upper(), MPFR_RNDU)};
}

Multiprecision MpfiValue::middle() const {
    Multiprecision result = blank(bits());
    mpfi_mid(raw(result), value_);
    return result;
}

MpfiValue hull(const MpfiValue& a, const MpfiValue& b) {
    if (either_undefined(a, b)) return MpfiValue(std::max(a.bits(), b.bits()));
    return combined(mpfi_union, a, b);
}

MpfiValue operator-(const MpfiValue& x) {
    MpfiValue result(x.bits());
    mpfr_neg(result.lower(), x.upper(), MPFR_RNDD);
    mpfr_neg(result.upper(), x.lower(), MPFR_RNDU);
    return result;
}

MpfiValue operator+(const MpfiValue& a, const MpfiValue& b) {
    const auto opposed = [](mpfr_srcptr x, mpfr_srcptr y) {
        return mpfr_inf_p(x) != 0 && mpfr_inf_p(y) != 0 && mpfr_sgn(x) != mpfr_sgn(y);
    };
    MpfiValue result(std::max(a.bits(), b.bits()));
    if (opposed(a.lower(), b.upper()) || opposed(a.upper(), b.lower()) || either_undefined(a, b)) return result;
    mpfr_add(result.lower(), a.lower(), b.lower(), MPFR_RNDD);
    mpfr_add(result.upper(), a.upper(), b.upper(), MPFR_RNDU);
    return result;
}

MpfiValue operator-(const MpfiValue& a, const MpfiValue& b) {
    return a + -b;
}

MpfiValue operator*(const MpfiValue& a, const MpfiValue& b) {
    const bool indefinite = (a.has_zero() && b.has_infinity()) || (a.has_infinity() && b.has_zero());
    if (indefinite || either_undefined(a, b)) return MpfiValue(std::max(a.bits(), b.bits()));
    return combined(mpfi_mul, a, b);
}

MpfiValue operator/(const MpfiValue& a, const MpfiValue& b) {
    MpfiValue result(std::max(a.bits(), b.bits()));
    const bool indefinite = (a.has_zero() && b.has_zero()) || (a.has_infinity() && b.has_infinity());
    if (indefinite || either_undefined(a, b)) return result;
    if (b.has_zero()) {
        mpfr_set_inf(result.lower(), -1);
        mpfr_set_inf(result.upper(), 1);
        return result;
    }
    return combined(mpfi_div, a, b);
}

MpfiValue square(const MpfiValue& x) {
    MpfiValue result(x.bits());
    if (!x.is_undefined()) mpfi_sqr(result.get(), x.get());
    return result;
}

MpfiValue abs(const MpfiValue& x) {
    MpfiValue result(x.bits());
    if (!x.is_undefined()) mpfi_abs(result.get(), x.get());
    return result;
}

MpfiValue sqrt(const MpfiValue& x) {
    return increasing(mpfr_sqrt, x);
}
// Those of angles are in mpfi_shapes.cpp.
#define FARFIELD_ENCLOSE_rising(stem)      \
    MpfiValue stem(const MpfiValue& x) {   \
        return increasing(mpfr_##stem, x); \
    }
#define FARFIELD_ENCLOSE_angle(stem)
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) FARFIELD_ENCLOSE_##shape(stem)
#include "farfield/numerics/functions.def"
#undef FARFIELD_ENCLOSE_rising
#undef FARFIELD_ENCLOSE_angle
MpfiValue floor(const MpfiValue& x) {
    return increasing(mpfr_rint_floor, x);
}
MpfiValue ceil(const MpfiValue& x) {
    return increasing(mpfr_rint_ceil, x);
}
MpfiValue round(const MpfiValue& x) {
    return increasing(mpfr_rint_roundeven, x);
}
MpfiValue sign(const MpfiValue& x) {
    return increasing(sign_of, x);
}
MpfiValue softplus(const MpfiValue& x) {
    return increasing(softplus_of, x);
}
MpfiValue sigmoid(const MpfiValue& x) {
    return increasing(sigmoid_of, x);
}

MpfiValue min(const MpfiValue& a, const MpfiValue& b) {
    MpfiValue result(std::max(a.bits(), b.bits()));
    if (either_undefined(a, b)) return result;
    mpfr_min(result.lower(), a.lower(), b.lower(), MPFR_RNDD);
    mpfr_min(result.upper(), a.upper(), b.upper(), MPFR_RNDU);
    return result;
}

MpfiValue max(const MpfiValue& a, const MpfiValue& b) {
    MpfiValue result(std::max(a.bits(), b.bits()));
    if (either_undefined(a, b)) return result;
    mpfr_max(result.lower(), a.lower(), b.lower(), MPFR_RNDD);
    mpfr_max(result.upper(), a.upper(), b.upper(), MPFR_RNDU);
    return result;
}

MpfiValue clamp(const MpfiValue& x, const MpfiValue& low, const MpfiValue& high) {
    return min(max(x, low), high);
}

Truth less(const MpfiValue& a, const MpfiValue& b) {
    if (mpfr_less_p(a.upper(), b.lower()) != 0) return Truth::yes;
    return mpfr_greaterequal_p(a.lower(), b.upper()) != 0 ? Truth::no : Truth::unknown;
}

Truth less_equal(const MpfiValue& a, const MpfiValue& b) {
    if (mpfr_lessequal_p(a.upper(), b.lower()) != 0) return Truth::yes;
    return mpfr_greater_p(a.lower(), b.upper()) != 0 ? Truth::no : Truth::unknown;
}

Truth equal(const MpfiValue& a, const MpfiValue& b) {
    if (a.is_point() && b.is_point() && mpfr_equal_p(a.lower(), b.lower()) != 0) return Truth::yes;
    const bool apart = mpfr_less_p(a.upper(), b.lower()) != 0 || mpfr_less_p(b.upper(), a.lower()) != 0;
    return apart ? Truth::no : Truth::unknown;
}

}  // namespace farfield::numerics
