// The language in numbers of N decimal digits.
#pragma once

#include <optional>
#include <string>

#include <farfield/numerics/multiprecision.hpp>
#include <farfield/numerics/rounding.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/t5_bucket.hpp"
#include "numerics/mpfr_value.hpp"

namespace farfield::evaluate {

struct MultiprecisionArithmetic {
    using Real = numerics::Multiprecision;
    using Boolean = bool;

    int digits;

    Real input(double value) const { return Real(value, digits); }
    Real integer(double value) const { return Real(value, digits); }
    Real undefined() const { return input(std::numeric_limits<double>::quiet_NaN()); }
    Real infinite(double infinity) const { return input(infinity); }
    static Boolean undecided() { return false; }
    static Boolean truth(bool value) { return value; }

    Real literal(double value, const std::string& text) const {
        if (text == "pi") return Real::pi(digits);
        if (text == "e") return Real::e(digits);
        if (text == "inf") return input(value);
        return Real::from_text(text, digits);
    }

    static std::optional<double> integer_of(const Real& x) {
        if (x.is_nan() || x.is_infinite() || mpfr_integer_p(numerics::raw(x)) == 0) return std::nullopt;
        return as_integer(x.to_double());
    }

    static Real add(const Real& a, const Real& b) { return a + b; }
    static Real subtract(const Real& a, const Real& b) { return a - b; }
    static Real multiply(const Real& a, const Real& b) { return a * b; }
    static Real divide(const Real& a, const Real& b) { return a / b; }
    static Real modulo(const Real& a, const Real& b) { return numerics::mod(a, b); }
    static Real negate(const Real& a) { return -a; }
    static Real power(const Real& a, const Real& b) { return numerics::pow(a, b); }
    static Boolean less(const Real& a, const Real& b) { return a < b; }
    static Boolean less_equal(const Real& a, const Real& b) { return a <= b; }
    static Boolean greater(const Real& a, const Real& b) { return a > b; }
    static Boolean greater_equal(const Real& a, const Real& b) { return a >= b; }
    static Boolean equals(const Real& a, const Real& b) { return a == b; }
    static Boolean differs(const Real& a, const Real& b) { return !(a == b); }
    static Boolean logical_not(Boolean a) { return !a; }
    static Boolean logical_and(Boolean a, Boolean b) { return a && b; }
    static Boolean logical_or(Boolean a, Boolean b) { return a || b; }
    static Real select(Boolean condition, const Real& a, const Real& b) { return condition ? a : b; }
    static Real absolute(const Real& x) { return numerics::abs(x); }
    static Real square_root(const Real& x) { return numerics::sqrt(x); }
    static Real arctangent(const Real& y, const Real& x) { return numerics::atan2(y, x); }
    static Real floor(const Real& x) { return numerics::floor(x); }
    static Real ceiling(const Real& x) { return numerics::ceil(x); }
    static Real round(const Real& x) { return numerics::round(x); }
    static Real sign(const Real& x) { return numerics::sign(x); }
    static Real minimum(const Real& a, const Real& b) { return numerics::min(a, b); }
    static Real maximum(const Real& a, const Real& b) { return numerics::max(a, b); }
    static Real clamp(const Real& x, const Real& low, const Real& high) { return numerics::clamp(x, low, high); }
    static Real softplus(const Real& x) { return numerics::softplus(x); }
    static Real sigmoid(const Real& x) { return numerics::sigmoid(x); }
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    static Real name(const Real& x) {                             \
        return numerics::stem(x);                                 \
    }
#include <farfield/numerics/functions.def>
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    Real to_##name(const Real& x) const {                                   \
        return input(numerics::round_to(numerics::known::name, x));         \
    }
#include <farfield/numerics/formats.def>
    static Real sine_integral(const Real& x) {
        return numerics::sine_integral(x);
    }
    static Real binomial(const Real& n, const Real& k) {
        return numerics::binomial(n, k);
    }
    Real t5_bucket(const Real& n, const Real& buckets, const Real& max_distance) const {
        const std::optional<double> count = integer_of(buckets);
        if (!count) return undefined();
        return input(evaluate::t5_bucket(numerics::raw(n), *count, numerics::raw(max_distance)));
    }
    static Real sum(const Real& accumulator, const Real& body) {
        return accumulator + body;
    }
    static Real product(const Real& accumulator, const Real& body) {
        return accumulator * body;
    }
    static Boolean for_all(Boolean accumulator, Boolean body) {
        return accumulator && body;
    }
    static Boolean for_some(Boolean accumulator, Boolean body) {
        return accumulator || body;
    }
};

}  // namespace farfield::evaluate
