// What is known about the value of a formula on a box.
#pragma once

#include <optional>
#include <string>

#include "recheck/rational.hpp"
#include "recheck/truth.hpp"

namespace farfield::recheck {

/// A real number, known exactly or by an interval that contains it wherever it exists; or one of the two infinities.
class Number {
public:
    Number() : Number(Rational(0)) {}
    Number(Rational value) : exact_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
    /// An interval that contains the value on the part of the box where it exists.
    explicit Number(Interval interval, Truth defined = Truth::yes)
        : interval_(std::move(interval)), defined_(defined) {}
    static Number infinity(int sign);
    static Number nowhere() { return Number(Interval::line(), Truth::no); }
    static Number unknown() { return Number(Interval::line(), Truth::maybe); }

    /// Whether it is a real number on all of the box, on none of it, or neither is known.
    Truth defined() const { return defined_; }
    /// 1 or -1 for an infinity, otherwise 0.
    int infinite() const { return infinite_; }
    const std::optional<Rational>& exact() const { return exact_; }
    Interval interval() const { return exact_ ? enclose(*exact_) : interval_; }
    /// The same with less knowledge about where it exists.
    Number where(Truth defined) const;

private:
    std::optional<Rational> exact_;
    Interval interval_;
    Truth defined_ = Truth::yes;
    int infinite_ = 0;
};

Number operator+(const Number& a, const Number& b);
Number operator-(const Number& a, const Number& b);
Number operator*(const Number& a, const Number& b);
Number operator/(const Number& a, const Number& b);
Number operator-(const Number& a);
Number remainder(const Number& a, const Number& b);
Number power(const Number& a, const Number& b);
Number min(const Number& a, const Number& b);
Number max(const Number& a, const Number& b);
Number abs(const Number& a);
Number sign(const Number& a);
Number floor(const Number& a);
Number ceil(const Number& a);
Number round(const Number& a);
Number sqrt(const Number& a);
Number exp(const Number& a);
Number expm1(const Number& a);
Number log(const Number& a);
Number log1p(const Number& a);
Number log2(const Number& a);
Number sin(const Number& a);
Number cos(const Number& a);
Number tan(const Number& a);
Number tanh(const Number& a);
Number erf(const Number& a);
Number softplus(const Number& a);
Number sine_integral(const Number& a);
Number binomial(const Number& n, const Number& k);
Number sigmoid(const Number& a);
Number atan2(const Number& y, const Number& x);
Number t5_bucket(const Number& n, const Number& buckets, const Number& largest);
/// One of two values; it is unknown which.
Number joined(const Number& a, const Number& b);

/// Comparisons. The result is "maybe" for values that may not exist, and for two infinities of the same sign.
Truth less(const Number& a, const Number& b);
Truth less_equal(const Number& a, const Number& b);
Truth equal(const Number& a, const Number& b);

}  // namespace farfield::recheck
