// Operators on numbers, and on values with their derivatives.
#pragma once

#include "recheck/evaluator.hpp"

namespace farfield::recheck {

Jet constant(const Number& value);
/// A jet of which only the value is known.
Jet broken(const Number& value);
/// f(a), with the ranges of f' and f'' on a.
Jet composed(const Number& value, const Jet& a, const Interval& first, const Interval& second);
Jet sum_of(const Jet& a, const Jet& b);
Jet opposite(const Jet& a);
Jet product_of(const Jet& a, const Jet& b);
/// The smaller (sign 1) or larger (-1) of two.
Jet extreme(const Jet& a, const Jet& b, int sign);
/// A step function: flat where it has a single value.
Jet stepped(const Number& value, const Jet& a);
Jet exponential(const Number& value, const Jet& a);
/// log(x) or log(1 + x), divided by `base`.
Jet logarithm(const Number& value, const Jet& a, const Interval& x, const Interval& base);
/// x^c for a c > 0 that is not an integer, and x >= 0; at x = 0 the slope may be unbounded.
Jet root(const Number& value, const Jet& a, const Interval& c);
Number unary(Op op, const Number& a);
Number binary(Op op, const Number& a, const Number& b);
Jet unary(Op op, const Jet& a);
Jet binary(Op op, const Jet& a, const Jet& b);

}  // namespace farfield::recheck
