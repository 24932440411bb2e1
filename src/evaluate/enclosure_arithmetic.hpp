// The language on enclosures: doubles with functions of SLEEF widened, or MPFI at any precision.
//
// The two differ in their type and in the source of their functions; Traits defines both.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <farfield/core/table.hpp>
#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/truth.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/t5_bucket.hpp"
#include "numerics/counting.hpp"
#include "numerics/mpfi_value.hpp"
#include "numerics/mpfr_value.hpp"

namespace farfield::evaluate {

/// Enclosures of doubles, whose functions are those of numerics::fast; remainders are exact anyway.
struct FastIntervals {
    using Real = numerics::Interval;

    static Real undefined() { return numerics::undefined_interval(); }
    static Real point(double value) { return numerics::point(value); }
    static Real between(const numerics::Interval& ends) { return ends; }
    static Real integer(std::int64_t value) { return numerics::enclose_integer(value); }
    /// An interval of one double is that number.
    static std::optional<std::int64_t> integer_of(const Real& x) {
        const bool is_counted = x.lo == x.hi && std::fabs(x.lo) < 0x1p63 && std::trunc(x.lo) == x.lo;
        return is_counted ? std::optional(static_cast<std::int64_t>(x.lo)) : std::nullopt;
    }
    static Real decimal(const std::string& text) { return numerics::enclose_decimal(text); }
    static Real pi() { return numerics::enclose_pi(); }
    static Real e() { return numerics::enclose_e(); }
    static bool is_undefined(const Real& x) { return numerics::is_undefined(x); }
    static numerics::Interval outward(const Real& x) { return x; }

    static Real atan2(const Real& y, const Real& x) { return numerics::fast::atan2(y, x); }
    static Real pow(const Real& a, const Real& b) { return numerics::fast::pow(a, b); }
    static Real softplus(const Real& x) { return numerics::fast::softplus(x); }
    static Real sigmoid(const Real& x) { return numerics::fast::sigmoid(x); }

    /// Rounding never decreases. Beyond the range of e4m3 there is no value.
    static Real round_to(const numerics::Format& format, const Real& x) {
        const Real ends{numerics::round_to(format, x.lo), numerics::round_to(format, x.hi)};
        return numerics::is_undefined(ends) ? undefined() : ends;
    }

    /// The bucket grows with the distance and falls with the maximum distance.
    static Real t5_bucket(const Real& n, double buckets, const Real& max_distance) {
        return {evaluate::t5_bucket(n.lo, buckets, max_distance.hi),
                evaluate::t5_bucket(n.hi, buckets, max_distance.lo)};
    }

#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    static Real name(const Real& x) {                             \
        return numerics::fast::stem(x);                           \
    }
#include <farfield/numerics/functions.def>
};

/// Enclosures by MPFI.
struct RigorousIntervals {
    using Real = numerics::MpfiValue;

    long bits = 128;

    Real undefined() const { return Real(bits); }
    Real point(double value) const { return Real(value, bits); }
    Real between(const numerics::Interval& ends) const { return Real(ends, bits); }
    Real integer(std::int64_t value) const {
        // In two halves if a long has 32 bits.
        if (!std::in_range<long>(value))
            return Real(static_cast<double>(value >> 32) * 0x1p32, bits) +
                   Real(static_cast<double>(value & 0xffffffff), bits);
        Real result(bits);
        mpfi_set_si(result.get(), static_cast<long>(value));
        return result;
    }
    static std::optional<std::int64_t> integer_of(const Real& x) {
        if (!x.is_point() || mpfr_integer_p(x.lower()) == 0) return std::nullopt;
        if (mpfr_fits_slong_p(x.lower(), MPFR_RNDN) != 0) return mpfr_get_si(x.lower(), MPFR_RNDN);
        const double value = mpfr_get_d(x.lower(), MPFR_RNDN);
        return std::fabs(value) <= 0x1p53 ? std::optional(static_cast<std::int64_t>(value)) : std::nullopt;
    }
    Real decimal(const std::string& text) const { return Real::from_text(text, bits); }
    Real pi() const { return Real::pi(bits); }
    Real e() const { return Real::e(bits); }
    static bool is_undefined(const Real& x) { return x.is_undefined(); }
    static numerics::Interval outward(const Real& x) { return x.to_interval(); }

    static Real atan2(const Real& y, const Real& x) { return numerics::atan2(y, x); }
    static Real pow(const Real& a, const Real& b) { return numerics::pow(a, b); }
    static Real softplus(const Real& x) { return numerics::softplus(x); }
    static Real sigmoid(const Real& x) { return numerics::sigmoid(x); }

    Real round_to(const numerics::Format& format, const Real& x) const {
        const numerics::Interval ends{numerics::round_to(format, x.lower()), numerics::round_to(format, x.upper())};
        return numerics::is_undefined(ends) ? undefined() : between(ends);
    }

    Real t5_bucket(const Real& n, double buckets, const Real& max_distance) const {
        const double low = evaluate::t5_bucket(n.lower(), buckets, max_distance.upper());
        const double high = evaluate::t5_bucket(n.upper(), buckets, max_distance.lower());
        return std::isnan(low) || std::isnan(high) ? undefined() : between({low, high});
    }

#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    static Real name(const Real& x) {                             \
        return numerics::stem(x);                                 \
    }
#include <farfield/numerics/functions.def>
};

template <class Traits>
struct EnclosureArithmetic {
    using Real = typename Traits::Real;
    using Boolean = numerics::Truth;

    Traits traits{};

    Real undefined() const { return traits.undefined(); }
    Real infinite(double infinity) const { return traits.point(infinity); }
    static Boolean undecided() { return Boolean::unknown; }
    static Boolean truth(bool value) { return numerics::to_truth(value); }
    Real integer(std::int64_t value) const { return traits.integer(value); }
    Real input(double value) const { return traits.point(value); }
    /// If a value may be anything, it may not even be a number.
    Real input(const core::Enclosure& value) const {
        using numerics::infinity;
        const bool known = value.lo <= value.hi && !(value.lo == -infinity && value.hi == infinity);
        return known ? traits.between({value.lo, value.hi}) : traits.undefined();
    }

    Real literal(double value, const std::string& text) const {
        if (text == "pi") return traits.pi();
        if (text == "e") return traits.e();
        if (text == "inf") return traits.point(value);
        return traits.decimal(text);
    }

    std::optional<std::int64_t> integer_of(const Real& x) const { return traits.integer_of(x); }
    static numerics::Interval outward(const Real& x) { return Traits::outward(x); }

    static Real add(const Real& a, const Real& b) { return a + b; }
    static Real subtract(const Real& a, const Real& b) { return a - b; }
    static Real multiply(const Real& a, const Real& b) { return a * b; }
    static Real divide(const Real& a, const Real& b) { return a / b; }
    static Real modulo(const Real& a, const Real& b) { return numerics::mod(a, b); }
    static Real negate(const Real& a) { return -a; }
    Real power(const Real& a, const Real& b) const { return traits.pow(a, b); }
    static Boolean less(const Real& a, const Real& b) { return numerics::less(a, b); }
    static Boolean less_equal(const Real& a, const Real& b) { return numerics::less_equal(a, b); }
    static Boolean greater(const Real& a, const Real& b) { return numerics::less(b, a); }
    static Boolean greater_equal(const Real& a, const Real& b) { return numerics::less_equal(b, a); }
    static Boolean equals(const Real& a, const Real& b) { return numerics::equal(a, b); }
    static Boolean differs(const Real& a, const Real& b) { return !numerics::equal(a, b); }
    static Boolean logical_not(Boolean a) { return !a; }
    static Boolean logical_and(Boolean a, Boolean b) { return numerics::both(a, b); }
    static Boolean logical_or(Boolean a, Boolean b) { return numerics::either(a, b); }
    static Real select(Boolean condition, const Real& a, const Real& b) {
        if (condition == Boolean::unknown) return hull(a, b);
        return condition == Boolean::yes ? a : b;
    }
    static Real absolute(const Real& x) { return abs(x); }
    static Real square_root(const Real& x) { return sqrt(x); }
    Real arctangent(const Real& y, const Real& x) const { return traits.atan2(y, x); }
    static Real floor(const Real& x) { return numerics::floor(x); }
    static Real ceiling(const Real& x) { return numerics::ceil(x); }
    static Real round(const Real& x) { return numerics::round(x); }
    static Real sign(const Real& x) { return numerics::sign(x); }
    static Real minimum(const Real& a, const Real& b) { return numerics::min(a, b); }
    static Real maximum(const Real& a, const Real& b) { return numerics::max(a, b); }
    static Real clamp(const Real& x, const Real& low, const Real& high) { return numerics::clamp(x, low, high); }
    Real softplus(const Real& x) const { return traits.softplus(x); }
    Real sigmoid(const Real& x) const { return traits.sigmoid(x); }
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    Real name(const Real& x) const {                              \
        return traits.name(x);                                    \
    }
#include <farfield/numerics/functions.def>
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    Real to_##name(const Real& x) const {                                   \
        return traits.round_to(numerics::known::name, x);                   \
    }
#include <farfield/numerics/formats.def>
    static Real sine_integral(const Real& x) {
        return numerics::sine_integral(x);
    }
    static Real binomial(const Real& n, const Real& k) {
        return numerics::binomial(n, k);
    }
    Real t5_bucket(const Real& n, const Real& buckets, const Real& max_distance) const {
        const std::optional<std::int64_t> count = integer_of(buckets);
        if (!count || traits.is_undefined(n) || traits.is_undefined(max_distance)) return undefined();
        return traits.t5_bucket(n, static_cast<double>(*count), max_distance);
    }
    static Real sum(const Real& accumulator, const Real& body) {
        return accumulator + body;
    }
    static Real product(const Real& accumulator, const Real& body) {
        return accumulator * body;
    }
    static Boolean for_all(Boolean accumulator, Boolean body) {
        return numerics::both(accumulator, body);
    }
    static Boolean for_some(Boolean accumulator, Boolean body) {
        return numerics::either(accumulator, body);
    }
};

}  // namespace farfield::evaluate
