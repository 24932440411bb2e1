// Numbers as unevaluated sums of two doubles, about 106 bits, the error-free transformations they rest on, and sums
// that carry their rounding errors along: the one extended precision of processors and devices.
//
// Everything here needs the usual rounding to nearest and no contraction of products into sums.
#pragma once

#include <farfield/numerics/both.hpp>

namespace farfield::numerics {

/// The number hi + lo, where hi is the double nearest to it.
struct DoubleDouble {
    double hi = 0;
    double lo = 0;
};

/// a + b exactly, as rounded sum and error (Knuth; six additions, no branch). Wrong only where the sum overflows.
FARFIELD_BOTH DoubleDouble two_sum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

/// The same for |a| >= |b| or a = 0 (Dekker; three additions).
FARFIELD_BOTH DoubleDouble fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

/// a b exactly, as rounded product and error. Wrong only where the product overflows or lies below 2^-969.
FARFIELD_BOTH DoubleDouble two_product(double a, double b) {
    const double product = a * b;
    return {product, ::fma(a, b, -product)};
}

/// Sum with an error below 2^-104 of the result's size (Joldes, Muller, Popescu 2017, algorithm 6: 3 * 2^-106).
FARFIELD_BOTH DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble high = two_sum(a.hi, b.hi);
    const DoubleDouble low = two_sum(a.lo, b.lo);
    const DoubleDouble middle = fast_two_sum(high.hi, high.lo + low.hi);
    return fast_two_sum(middle.hi, middle.lo + low.lo);
}

FARFIELD_BOTH DoubleDouble operator-(const DoubleDouble& a) {
    return {-a.hi, -a.lo};
}
FARFIELD_BOTH DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
    return a + -b;
}

/// Product with a double; relative error below 2^-104 (ibid., algorithm 9: 2 * 2^-106).
FARFIELD_BOTH DoubleDouble operator*(const DoubleDouble& a, double b) {
    const DoubleDouble high = two_product(a.hi, b);
    return fast_two_sum(high.hi, ::fma(a.lo, b, high.lo));
}

/// Product; relative error below 2^-103 (ibid., algorithm 10: 7 * 2^-106).
FARFIELD_BOTH DoubleDouble operator*(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble high = two_product(a.hi, b.hi);
    return fast_two_sum(high.hi, high.lo + (a.hi * b.lo + a.lo * b.hi));
}

/// Quotient by three steps of long division, as in the QD library (Hida, Li, Bailey 2001); tests find it within 2^-101.
FARFIELD_BOTH DoubleDouble operator/(const DoubleDouble& a, const DoubleDouble& b) {
    const double first = a.hi / b.hi;
    const DoubleDouble rest = a - b * DoubleDouble{first, 0};
    const double second = rest.hi / b.hi;
    const DoubleDouble last = rest - b * DoubleDouble{second, 0};
    return fast_two_sum(first, second) + DoubleDouble{last.hi / b.hi, 0};
}

/// Root of a positive number by one step of Newton's from the double's (Karp, Markstein 1997); tests find it within
/// 2^-101.
FARFIELD_BOTH DoubleDouble sqrt(const DoubleDouble& a) {
    const double root = ::sqrt(a.hi);
    return fast_two_sum(root, (a - two_product(root, root)).hi / (2 * root));
}

/// A running sum with its rounding errors added up beside it (Neumaier; Ogita, Rump, Oishi 2005, Sum2). Once a term or
/// the running sum is not finite, the total is what plain addition gives.
class Accumulator {
public:
    FARFIELD_BOTH void add(double term) {
        const DoubleDouble step = two_sum(sum_, term);
        sum_ = step.hi;
        error_ += step.lo;
    }
    FARFIELD_BOTH void add(const Accumulator& other) {
        add(other.sum_);
        error_ += other.error_;
    }
    FARFIELD_BOTH void add_product(double x, double y) {
        const DoubleDouble product = two_product(x, y);
        add(product.hi);
        error_ += product.lo;
    }
    /// x y and, among the errors, y times what was rounded away from x.
    FARFIELD_BOTH void add_product(const DoubleDouble& x, double y) {
        add_product(x.hi, y);
        error_ += x.lo * y;
    }
    /// The terms' exact sum S with an error below |S| 2^-53 + (n 2^-53)^2 sum |term|.
    FARFIELD_BOTH double total() const { return is_finite() ? sum_ + error_ : sum_; }
    /// The same sum before the last rounding; the first part of its error is only |S| 2^-106.
    FARFIELD_BOTH DoubleDouble parts() const { return is_finite() ? two_sum(sum_, error_) : DoubleDouble{sum_, 0}; }

private:
    FARFIELD_BOTH bool is_finite() const { return sum_ - sum_ == 0; }

    double sum_ = 0;
    double error_ = 0;
};

}  // namespace farfield::numerics
