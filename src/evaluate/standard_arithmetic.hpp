// The language in double or float, with the functions of the standard library.
#pragma once

#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include <farfield/numerics/format.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/special.hpp"
#include "evaluate/t5_bucket.hpp"

namespace farfield::evaluate {

template <class Number>
struct StandardArithmetic {
    using Real = Number;
    using Boolean = bool;

    static Real undefined() { return std::numeric_limits<Real>::quiet_NaN(); }
    static Real infinite(double infinity) { return static_cast<Real>(infinity); }
    static Boolean undecided() { return false; }
    static Boolean truth(bool value) { return value; }
    static Real input(double value) { return static_cast<Real>(value); }
    static Real integer(double value) { return static_cast<Real>(value); }
    static std::optional<double> integer_of(Real x) { return as_integer(x, largest_integer<Real>); }

    /// A decimal text is rounded once to Real, and not first to double.
    static Real literal(double value, const std::string& text) {
        Real read{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
        const bool whole = error == std::errc{} && end == text.data() + text.size();
        return whole ? read : static_cast<Real>(value);
    }

    static Real add(Real a, Real b) { return a + b; }
    static Real subtract(Real a, Real b) { return a - b; }
    static Real multiply(Real a, Real b) { return a * b; }
    static Real divide(Real a, Real b) { return a / b; }
    static Real modulo(Real a, Real b) {
        const Real remainder = std::fmod(a, b);
        if (remainder == 0) return std::copysign(remainder, b);
        return (remainder < 0) == (b < 0) ? remainder : remainder + b;
    }
    static Real negate(Real a) { return -a; }
    static Real power(Real a, Real b) { return std::pow(a, b); }
    static Boolean less(Real a, Real b) { return a < b; }
    static Boolean less_equal(Real a, Real b) { return a <= b; }
    static Boolean greater(Real a, Real b) { return a > b; }
    static Boolean greater_equal(Real a, Real b) { return a >= b; }
    static Boolean equals(Real a, Real b) { return a == b; }
    static Boolean differs(Real a, Real b) { return a != b; }
    static Boolean logical_not(Boolean a) { return !a; }
    static Boolean logical_and(Boolean a, Boolean b) { return a && b; }
    static Boolean logical_or(Boolean a, Boolean b) { return a || b; }
    static Real select(Boolean condition, Real a, Real b) { return condition ? a : b; }
    static Real absolute(Real x) { return std::fabs(x); }
    static Real square_root(Real x) { return std::sqrt(x); }
    static Real arctangent(Real y, Real x) { return std::atan2(y, x); }
    static Real floor(Real x) { return std::floor(x); }
    static Real ceiling(Real x) { return std::ceil(x); }
    static Real round(Real x) { return std::rint(x); }
    static Real sign(Real x) { return std::isnan(x) ? x : static_cast<Real>((x > 0) - (x < 0)); }
    static Real minimum(Real a, Real b) { return std::isnan(a) || a < b ? a : b; }
    static Real maximum(Real a, Real b) { return std::isnan(a) || a > b ? a : b; }
    static Real clamp(Real x, Real low, Real high) { return minimum(maximum(x, low), high); }
    static Real softplus(Real x) { return maximum(x, 0) + std::log1p(std::exp(-std::fabs(x))); }
    static Real sigmoid(Real x) {
        const Real power = std::exp(-std::fabs(x));
        return (x < 0 ? power : 1) / (1 + power);
    }
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    static Real name(Real x) {                                    \
        return std::stem(x);                                      \
    }
#include <farfield/numerics/functions.def>
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source)     \
    static Real to_##name(Real x) {                                             \
        return static_cast<Real>(numerics::round_to(numerics::known::name, x)); \
    }
#include <farfield/numerics/formats.def>
    static Real sine_integral(Real x) {
        return static_cast<Real>(evaluate::sine_integral(x));
    }
    static Real binomial(Real n, Real k) {
        return static_cast<Real>(evaluate::binomial(n, k));
    }
    static Real t5_bucket(Real n, Real buckets, Real max_distance) {
        return static_cast<Real>(evaluate::t5_bucket(n, buckets, max_distance));
    }
    static Real sum(Real accumulator, Real body) {
        return accumulator + body;
    }
    static Real product(Real accumulator, Real body) {
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
