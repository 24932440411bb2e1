// Closed intervals of reals with floating-point ends, rounded outward; Arb computes the functions.
#pragma once

#include <arf.h>
#include <flint/fmpz.h>

#include <string>

#include "recheck/truth.hpp"

namespace farfield::recheck {

/// The precision of all arithmetic of this thread, in bits; restored at the end of the scope.
class Precision {
public:
    explicit Precision(long bits);
    ~Precision();
    Precision(const Precision&) = delete;
    Precision& operator=(const Precision&) = delete;
    static long bits();

private:
    long before_;
};

/// Owns a number of Arb.
class Float {
public:
    Float() { arf_init(x_); }
    Float(double value) : Float() { arf_set_d(x_, value); }  // NOLINT(google-explicit-constructor)
    Float(const Float& other) : Float() { arf_set(x_, other.x_); }
    Float(Float&& other) noexcept : Float() { arf_swap(x_, other.x_); }
    Float& operator=(const Float& other) {
        arf_set(x_, other.x_);
        return *this;
    }
    Float& operator=(Float&& other) noexcept {
        arf_swap(x_, other.x_);
        return *this;
    }
    ~Float() { arf_clear(x_); }

    arf_ptr get() { return x_; }
    arf_srcptr get() const { return x_; }
    int sign() const { return arf_sgn(x_); }
    bool is_finite() const { return arf_is_finite(x_) != 0; }
    bool operator<(const Float& other) const { return arf_cmp(x_, other.x_) < 0; }
    bool operator<=(const Float& other) const { return arf_cmp(x_, other.x_) <= 0; }
    bool operator==(const Float& other) const { return arf_equal(x_, other.x_) != 0; }
    double down() const { return arf_get_d(x_, ARF_RND_FLOOR); }
    double up() const { return arf_get_d(x_, ARF_RND_CEIL); }

private:
    arf_t x_;
};

/// [lo, hi]; an infinite end means that this side is unbounded. No end is NaN.
struct Interval {
    Float lo;
    Float hi;

    static Interval point(const Float& value) { return {value, value}; }
    static Interval of(double lo, double hi) { return {Float(lo), Float(hi)}; }
    static Interval line();
    bool is_point() const { return lo == hi; }
    bool is_bounded() const { return lo.is_finite() && hi.is_finite(); }
    bool contains_zero() const { return lo.sign() <= 0 && hi.sign() >= 0; }
};

Interval operator+(const Interval& a, const Interval& b);
Interval operator-(const Interval& a, const Interval& b);
Interval operator*(const Interval& a, const Interval& b);
Interval operator-(const Interval& a);
/// The whole line if the divisor contains zero.
Interval operator/(const Interval& a, const Interval& b);
Interval hull(const Interval& a, const Interval& b);
/// The intersection; `a` if it is empty.
Interval common(const Interval& a, const Interval& b);
Interval abs(const Interval& a);
Interval min(const Interval& a, const Interval& b);
Interval max(const Interval& a, const Interval& b);

/// x^n for an integer n; the whole line for a negative n if x contains zero.
Interval power(const Interval& x, const fmpz_t n);
/// exp(y log(x)) for x >= 0; where x is 0, the limit from above.
Interval power(const Interval& x, const Interval& y);

/// Each uses the part of x on which the function is defined.
Interval sqrt(const Interval& x);
Interval exp(const Interval& x);
Interval expm1(const Interval& x);
Interval log(const Interval& x);
Interval log1p(const Interval& x);
Interval log2(const Interval& x);
Interval sin(const Interval& x);
Interval cos(const Interval& x);
Interval tanh(const Interval& x);
Interval erf(const Interval& x);
Interval softplus(const Interval& x);
Interval sine_integral(const Interval& x);
Interval sigmoid(const Interval& x);
/// The whole line unless x lies between two poles; `has_pole` tells which case applies.
Interval tan(const Interval& x, bool& has_pole);
/// The angle of (x, y); [-pi, pi] with `touches_cut` if the box touches the cut or the origin.
Interval atan2(const Interval& y, const Interval& x, bool& touches_cut);
Interval pi();
Interval euler();

Interval floor(const Interval& x);
Interval ceil(const Interval& x);
/// Ties to even.
Interval round(const Interval& x);

/// Whether a < b for all values of the intervals, for none, or neither.
Truth less(const Interval& a, const Interval& b);
Truth less_equal(const Interval& a, const Interval& b);

/// The decimal text of an end with this many digits, as close as they allow.
std::string text(const Float& value, int digits);

}  // namespace farfield::recheck
