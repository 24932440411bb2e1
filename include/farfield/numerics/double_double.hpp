// Numbers as unevaluated sums of two doubles, about 106 bits, and the error-free transformations they rest on.
//
// Everything here needs the usual rounding to nearest and no contraction of products into sums.
#pragma once

#include <cmath>

#include "farfield/numerics/multiprecision.hpp"

namespace farfield::numerics {

/// The number hi + lo, where hi is the double nearest to it.
struct DoubleDouble {
    double hi = 0;
    double lo = 0;
};

/// a + b exactly, as rounded sum and error (Knuth; six additions, no branch). Wrong only where the sum overflows.
inline DoubleDouble two_sum(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}

/// The same for |a| >= |b| or a = 0 (Dekker; three additions).
inline DoubleDouble fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

/// a b exactly, as rounded product and error. Wrong only where the product overflows or lies below 2^-969.
inline DoubleDouble two_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
}

/// Sum with an error below 2^-104 of the result's size (Joldes, Muller, Popescu 2017, algorithm 6: 3 * 2^-106).
inline DoubleDouble operator+(const DoubleDouble& a, const DoubleDouble& b) {
    const DoubleDouble high = two_sum(a.hi, b.hi);
    const DoubleDouble low = two_sum(a.lo, b.lo);
    const DoubleDouble middle = fast_two_sum(high.hi, high.lo + low.hi);
    return fast_two_sum(middle.hi, middle.lo + low.lo);
}

inline DoubleDouble operator-(const DoubleDouble& a) {
    return {-a.hi, -a.lo};
}
inline DoubleDouble operator-(const DoubleDouble& a, const DoubleDouble& b) {
    return a + -b;
}

/// Product with a double; relative error below 2^-104 (ibid., algorithm 9: 2 * 2^-106).
inline DoubleDouble operator*(const DoubleDouble& a, double b) {
    const DoubleDouble high = two_product(a.hi, b);
    return fast_two_sum(high.hi, std::fma(a.lo, b, high.lo));
}

/// The number nearest to `value`: relative error at most 2^-106. Throws nothing; NaN and infinities stand in hi.
DoubleDouble to_double_double(const Multiprecision& value);

}  // namespace farfield::numerics
