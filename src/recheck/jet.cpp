#include "recheck/jet.hpp"

#include "recheck/format.hpp"

namespace farfield::recheck {
namespace {

Interval zero() {
    return Interval::of(0, 0);
}

Interval one() {
    return Interval::of(1, 1);
}

Interval two() {
    return Interval::of(2, 2);
}

/// Continuous, with a kink somewhere.
Jet bent(const Number& value, const Interval& first, bool is_continuous) {
    return {value, first, Interval::line(), is_continuous && value.defined() == Truth::yes, false};
}

Jet inverse(const Jet& a) {
    const Number value = Number(Rational(1)) / a.value;
    if (value.defined() != Truth::yes) return broken(value);
    const Interval r = value.interval();
    const Interval square = power(r, Rational(2).above());
    return composed(value, a, -square, two() * square * r);
}

Jet quotient_of(const Jet& a, const Jet& b) {
    Jet result = product_of(a, inverse(b));
    result.value = a.value / b.value;
    return result;
}

Jet absolute(const Jet& a) {
    const Interval x = a.value.interval();
    if (x.lo.sign() >= 0) return a;
    if (x.hi.sign() <= 0) return opposite(a);
    return bent(abs(a.value), hull(a.first, -a.first), a.is_continuous);
}

Jet hyperbolic(const Number& value, const Jet& a) {
    const Interval t = value.interval();
    const Interval slope = common(one() - power(t, Rational(2).above()), Interval::of(0, 1));
    return composed(value, a, slope, -(two() * t * slope));
}

Jet error_function(const Number& value, const Jet& a) {
    const Interval x = a.value.interval();
    const Interval slope = two() / sqrt(pi()) * exp(-power(x, Rational(2).above()));
    return composed(value, a, slope, -(two() * x * slope));
}

Jet logistic(const Number& value, const Jet& a) {
    const Interval s = sigmoid(a.value.interval());
    const Interval slope = s * sigmoid(-a.value.interval());
    return composed(value, a, slope, slope * (one() - two() * s));
}

Jet soft(const Number& value, const Jet& a) {
    const Interval s = sigmoid(a.value.interval());
    return composed(value, a, s, s * sigmoid(-a.value.interval()));
}

/// The slope sin(x)/x lies in [-0.2173, 1], and its slope in [-0.4362, 0.4362].
Jet sine_integral_jet(const Number& value, const Jet& a) {
    const Interval x = a.value.interval();
    Interval slope = Interval::of(-0.21724, 1);
    Interval bend = Interval::of(-0.43619, 0.43619);
    if (!x.contains_zero()) {
        slope = common(sin(x) / x, slope);
        bend = common((cos(x) - slope) / x, bend);
    }
    return composed(value, a, slope, bend);
}

Jet tangent(const Number& value, const Jet& a) {
    if (value.defined() != Truth::yes) return broken(value);
    const Interval t = value.interval();
    const Interval slope = one() + power(t, Rational(2).above());
    return composed(value, a, slope, two() * t * slope);
}

Jet angle(const Number& value, const Jet& y, const Jet& x) {
    bool touches_cut = false;
    atan2(y.value.interval(), x.value.interval(), touches_cut);
    if (touches_cut || value.defined() != Truth::yes) return broken(value);
    const Interval up = y.value.interval();
    const Interval along = x.value.interval();
    const Interval square = power(up, Rational(2).above()) + power(along, Rational(2).above());
    return bent(value, (along * y.first - up * x.first) / square, y.is_continuous && x.is_continuous);
}

Jet rest(const Number& value, const Jet& a, const Jet& b) {
    const Number turns = floor(a.value / b.value);
    if (!turns.exact()) return broken(value);
    Jet result = sum_of(a, opposite(product_of(constant(turns), b)));
    result.value = value;
    return result;
}

}  // namespace

Jet constant(const Number& value) {
    const bool is_known = value.defined() == Truth::yes;
    return {value, zero(), zero(), is_known, is_known};
}

Jet broken(const Number& value) {
    return {value, Interval::line(), Interval::line(), false, false};
}

Jet composed(const Number& value, const Jet& a, const Interval& first, const Interval& second) {
    const bool is_known = value.defined() == Truth::yes;
    return {value, first * a.first, second * power(a.first, Rational(2).above()) + first * a.second,
            a.is_continuous && is_known, a.is_smooth && is_known};
}

Jet sum_of(const Jet& a, const Jet& b) {
    return {a.value + b.value, a.first + b.first, a.second + b.second, a.is_continuous && b.is_continuous,
            a.is_smooth && b.is_smooth};
}

Jet opposite(const Jet& a) {
    return {-a.value, -a.first, -a.second, a.is_continuous, a.is_smooth};
}

Jet product_of(const Jet& a, const Jet& b) {
    const Interval x = a.value.interval();
    const Interval y = b.value.interval();
    return {a.value * b.value, a.first * y + x * b.first, a.second * y + two() * a.first * b.first + x * b.second,
            a.is_continuous && b.is_continuous, a.is_smooth && b.is_smooth};
}

Jet extreme(const Jet& a, const Jet& b, int sign) {
    const Truth is_first = sign > 0 ? less_equal(a.value, b.value) : less_equal(b.value, a.value);
    if (is_first == Truth::yes) return a;
    if (is_first == Truth::no) return b;
    const Number value = sign > 0 ? min(a.value, b.value) : max(a.value, b.value);
    return bent(value, hull(a.first, b.first), a.is_continuous && b.is_continuous);
}

Jet stepped(const Number& value, const Jet& a) {
    return value.exact() && a.is_continuous ? constant(value) : broken(value);
}

Jet exponential(const Number& value, const Jet& a) {
    const Interval slope = exp(a.value.interval());
    return composed(value, a, slope, slope);
}

Jet logarithm(const Number& value, const Jet& a, const Interval& x, const Interval& base) {
    if (value.defined() != Truth::yes) return broken(value);
    const Interval slope = one() / (x * base);
    return composed(value, a, slope, -(slope / x));
}

Jet root(const Number& value, const Jet& a, const Interval& c) {
    if (value.defined() != Truth::yes) return broken(value);
    const Interval x = a.value.interval();
    const Interval below = c - one();
    if (x.lo.sign() > 0) {
        const Interval slope = c * power(x, below);
        return composed(value, a, slope, slope * below / x);
    }
    Interval slope;
    if (below.lo.sign() >= 0) {
        slope = c * power(x, below);
    } else if (below.hi.sign() < 0 && x.hi.sign() > 0) {
        slope = c * power(Interval::point(x.hi), below);
        slope.hi = Interval::line().hi;
    } else {
        slope = Interval{Float(0), Interval::line().hi};
    }
    return bent(value, slope * a.first, a.is_continuous);
}

Number unary(Op op, const Number& a) {
    switch (op) {
        case Op::negate: return -a;
        case Op::abs: return abs(a);
        case Op::sqrt: return sqrt(a);
        case Op::exp: return exp(a);
        case Op::expm1: return expm1(a);
        case Op::log: return log(a);
        case Op::log1p: return log1p(a);
        case Op::log2: return log2(a);
        case Op::sin: return sin(a);
        case Op::cos: return cos(a);
        case Op::tan: return tan(a);
        case Op::tanh: return tanh(a);
        case Op::floor: return floor(a);
        case Op::ceil: return ceil(a);
        case Op::round: return round(a);
        case Op::sign: return sign(a);
        case Op::softplus: return softplus(a);
        case Op::sigmoid: return sigmoid(a);
        case Op::erf: return erf(a);
        case Op::sine_integral: return sine_integral(a);
        case Op::fp32: return in_format(find_format("fp32"), a);
        case Op::fp16: return in_format(find_format("fp16"), a);
        case Op::bf16: return in_format(find_format("bf16"), a);
        case Op::e4m3: return in_format(find_format("e4m3"), a);
        case Op::e5m2: return in_format(find_format("e5m2"), a);
        default: throw Unprovable("an operator that the recheck does not support");
    }
}

Number binary(Op op, const Number& a, const Number& b) {
    switch (op) {
        case Op::add: return a + b;
        case Op::subtract: return a - b;
        case Op::multiply: return a * b;
        case Op::divide: return a / b;
        case Op::remainder: return remainder(a, b);
        case Op::power: return power(a, b);
        case Op::min: return min(a, b);
        case Op::max: return max(a, b);
        case Op::atan2: return atan2(a, b);
        case Op::binomial: return binomial(a, b);
        default: throw Unprovable("an operator that the recheck does not support");
    }
}

Jet unary(Op op, const Jet& a) {
    const Number value = unary(op, a.value);
    const Interval x = a.value.interval();
    switch (op) {
        case Op::negate: return opposite(a);
        case Op::abs: return absolute(a);
        case Op::sqrt: return root(value, a, Interval::of(0.5, 0.5));
        case Op::exp:
        case Op::expm1: return exponential(value, a);
        case Op::log: return logarithm(value, a, x, one());
        case Op::log1p: return logarithm(value, a, one() + x, one());
        case Op::log2: return logarithm(value, a, x, log(two()));
        case Op::sin: return composed(value, a, cos(x), -sin(x));
        case Op::cos: return composed(value, a, -sin(x), -cos(x));
        case Op::tan: return tangent(value, a);
        case Op::tanh: return hyperbolic(value, a);
        case Op::softplus: return soft(value, a);
        case Op::sigmoid: return logistic(value, a);
        case Op::erf: return error_function(value, a);
        case Op::sine_integral: return sine_integral_jet(value, a);
        default: return stepped(value, a);
    }
}

Jet binary(Op op, const Jet& a, const Jet& b) {
    switch (op) {
        case Op::add: return sum_of(a, b);
        case Op::subtract: return sum_of(a, opposite(b));
        case Op::multiply: return product_of(a, b);
        case Op::divide: return quotient_of(a, b);
        case Op::remainder: return rest(remainder(a.value, b.value), a, b);
        case Op::min: return extreme(a, b, 1);
        case Op::max: return extreme(a, b, -1);
        case Op::atan2: return angle(atan2(a.value, b.value), a, b);
        case Op::binomial: return broken(binomial(a.value, b.value));
        default: throw Unprovable("an operator that the recheck does not support");
    }
}

}  // namespace farfield::recheck
