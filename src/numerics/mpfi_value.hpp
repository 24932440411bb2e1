// Enclosures of any precision, on MPFI, with every function of the formula language; for evaluators and for the
// verified fit.
//
// The rules are Interval's: an infinite end belongs to the interval, an undefined result anywhere makes both ends NaN,
// and the sign of a zero is unknown. Exponents are practically unlimited, so overflow is rare.
#pragma once

#include <mpfi.h>

#include <string_view>

#include "farfield/numerics/interval.hpp"
#include "farfield/numerics/multiprecision.hpp"
#include "farfield/numerics/truth.hpp"

namespace farfield::numerics {

/// An interval whose ends have `bits` bits; a value type. Binary functions work at the larger precision of both.
class MpfiValue {
public:
    /// Undefined.
    explicit MpfiValue(long bits);
    /// The point `value`; needs 53 bits or more.
    MpfiValue(double value, long bits);
    /// `enclosure` with the same ends; needs 53 bits or more.
    MpfiValue(const Interval& enclosure, long bits);
    /// The narrowest interval around the decimal number `text`.
    static MpfiValue from_text(std::string_view text, long bits);
    /// The narrowest interval around a number of any precision.
    static MpfiValue around(const Multiprecision& value, long bits);
    static MpfiValue pi(long bits);
    static MpfiValue e(long bits);

    MpfiValue(const MpfiValue& other);
    MpfiValue(MpfiValue&& other) noexcept;
    MpfiValue& operator=(MpfiValue other) noexcept;
    ~MpfiValue();

    long bits() const { return static_cast<long>(mpfr_get_prec(lower())); }
    bool is_undefined() const { return mpfr_nan_p(lower()) != 0 || mpfr_nan_p(upper()) != 0; }
    bool is_point() const { return mpfr_equal_p(lower(), upper()) != 0; }
    bool has_zero() const { return mpfr_cmp_ui(lower(), 0) <= 0 && mpfr_cmp_ui(upper(), 0) >= 0; }
    bool has_infinity() const { return mpfr_inf_p(lower()) != 0 || mpfr_inf_p(upper()) != 0; }
    /// Whether `number` lies inside; always true for the undefined interval.
    bool contains(const Multiprecision& number) const;

    /// The ends rounded outward to doubles.
    Interval to_interval() const;
    /// The middle, rounded to nearest.
    Multiprecision middle() const;

    mpfr_ptr lower() { return &value_->left; }
    mpfr_ptr upper() { return &value_->right; }
    mpfr_srcptr lower() const { return &value_->left; }
    mpfr_srcptr upper() const { return &value_->right; }
    mpfi_ptr get() { return value_; }
    mpfi_srcptr get() const { return value_; }

private:
    mpfi_t value_;
};

MpfiValue hull(const MpfiValue& a, const MpfiValue& b);

MpfiValue operator-(const MpfiValue& x);
MpfiValue operator+(const MpfiValue& a, const MpfiValue& b);
MpfiValue operator-(const MpfiValue& a, const MpfiValue& b);
MpfiValue operator*(const MpfiValue& a, const MpfiValue& b);
MpfiValue operator/(const MpfiValue& a, const MpfiValue& b);
/// x x, which unlike the product of two intervals is never negative.
MpfiValue square(const MpfiValue& x);
MpfiValue mod(const MpfiValue& a, const MpfiValue& b);
MpfiValue pow(const MpfiValue& base, const MpfiValue& exponent);

MpfiValue abs(const MpfiValue& x);
MpfiValue sqrt(const MpfiValue& x);
/// One function for each row of functions.def. Those that take radians are undefined at infinity and beyond 2^65536, as
/// for Multiprecision.
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) MpfiValue stem(const MpfiValue& x);
#include "farfield/numerics/functions.def"
MpfiValue atan2(const MpfiValue& y, const MpfiValue& x);
MpfiValue floor(const MpfiValue& x);
MpfiValue ceil(const MpfiValue& x);
MpfiValue round(const MpfiValue& x);
MpfiValue sign(const MpfiValue& x);
MpfiValue min(const MpfiValue& a, const MpfiValue& b);
MpfiValue max(const MpfiValue& a, const MpfiValue& b);
MpfiValue clamp(const MpfiValue& x, const MpfiValue& low, const MpfiValue& high);
MpfiValue softplus(const MpfiValue& x);
/// Si, whose extremes lie at the multiples of pi, the greatest at pi.
MpfiValue sine_integral(const MpfiValue& x);
/// Defined only for single integers; undefined for wider intervals.
MpfiValue binomial(const MpfiValue& n, const MpfiValue& k);
MpfiValue sigmoid(const MpfiValue& x);

Truth less(const MpfiValue& a, const MpfiValue& b);
Truth less_equal(const MpfiValue& a, const MpfiValue& b);
Truth equal(const MpfiValue& a, const MpfiValue& b);

}  // namespace farfield::numerics
