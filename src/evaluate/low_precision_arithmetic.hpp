// The language in a low-precision format: inputs and the result of every operation are correctly rounded once.
#pragma once

#include <optional>
#include <string>

#include <farfield/numerics/format.hpp>
#include <farfield/numerics/multiprecision.hpp>

#include "evaluate/interpreter.hpp"
#include "evaluate/standard_arithmetic.hpp"

namespace farfield::evaluate {

struct LowPrecisionArithmetic {
    using Real = double;
    using Boolean = bool;
    using Exact = numerics::Multiprecision;
    using Standard = StandardArithmetic<double>;

    const numerics::Format* format;

    Real rounded(double value) const { return numerics::round_to(*format, value); }
    Real undefined() const { return Standard::undefined(); }
    /// Also for a format without infinities, because the best value so far is not a result.
    static Real infinite(double infinity) { return infinity; }
    static Boolean undecided() { return false; }
    static Boolean truth(bool value) { return value; }
    Real input(double value) const { return rounded(value); }
    Real integer(double value) const { return rounded(value); }
    std::optional<double> integer_of(Real x) const {
        return as_integer(x, numerics::power_of_two(format->mantissa_bits + 1));
    }
    Real literal(double value, const std::string& text) const;

    // Since 53 >= 2*11 + 2 bits, the second rounding of these operations is harmless.
    Real add(Real a, Real b) const { return rounded(a + b); }
    Real subtract(Real a, Real b) const { return rounded(a - b); }
    Real multiply(Real a, Real b) const { return rounded(a * b); }
    Real divide(Real a, Real b) const { return rounded(a / b); }
    Real modulo(Real a, Real b) const { return rounded(Standard::modulo(a, b)); }
    Real square_root(Real x) const { return rounded(std::sqrt(x)); }

    Real negate(Real a) const { return -a; }
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
    static Real minimum(Real a, Real b) { return Standard::minimum(a, b); }
    static Real maximum(Real a, Real b) { return Standard::maximum(a, b); }
    static Real clamp(Real x, Real low, Real high) { return Standard::clamp(x, low, high); }

    // Rounding to an integer may leave a format's range or precision (ceil(240.5) in e4m3 is 241, no number of it).
    Real floor(Real x) const { return rounded(std::floor(x)); }
    Real ceiling(Real x) const { return rounded(std::ceil(x)); }
    Real round(Real x) const { return rounded(std::rint(x)); }
    Real sign(Real x) const { return Standard::sign(x); }
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    Real to_##name(Real x) const {                                          \
        return rounded(Standard::to_##name(x));                             \
    }
#include <farfield/numerics/formats.def>
    Real t5_bucket(Real n, Real buckets, Real max_distance) const {
        return rounded(evaluate::t5_bucket(n, buckets, max_distance));
    }

    Real power(Real a, Real b) const;
    Real arctangent(Real y, Real x) const;
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) Real name(Real x) const;
#include <farfield/numerics/functions.def>
    Real softplus(Real x) const;
    Real sine_integral(Real x) const;
    Real binomial(Real n, Real k) const {
        return rounded(Standard::binomial(n, k));
    }
    Real sigmoid(Real x) const;

    Real sum(Real accumulator, Real body) const {
        return add(accumulator, body);
    }
    Real product(Real accumulator, Real body) const {
        return multiply(accumulator, body);
    }
    static Boolean for_all(Boolean accumulator, Boolean body) {
        return accumulator && body;
    }
    static Boolean for_some(Boolean accumulator, Boolean body) {
        return accumulator || body;
    }
};

}  // namespace farfield::evaluate
