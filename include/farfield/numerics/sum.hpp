// Sums whose digits do not depend on how many threads there are, and carry the rounding errors along.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

#include "farfield/numerics/double_double.hpp"

namespace farfield::numerics {

/// A running sum with its rounding errors added up beside it (Neumaier; Ogita, Rump, Oishi 2005, Sum2). Once a term or
/// the running sum is not finite, the total is what plain addition gives.
class Accumulator {
public:
    void add(double term) {
        const DoubleDouble step = two_sum(sum_, term);
        sum_ = step.hi;
        error_ += step.lo;
    }
    /// The terms' exact sum S with an error below |S| 2^-53 + (n 2^-53)^2 sum |term|.
    double total() const { return std::isfinite(sum_) ? sum_ + error_ : sum_; }
    /// The same before the last rounding; the first part of the error drops to |S| 2^-106.
    DoubleDouble parts() const { return std::isfinite(sum_) ? two_sum(sum_, error_) : DoubleDouble{sum_, 0}; }

private:
    double sum_ = 0;
    double error_ = 0;
};

/// sum x_i over blocks of fixed size, each by several compensated sums side by side, put together in order: the same
/// digits whatever the number of threads. Error as for Accumulator::total. At the speed of memory for large spans.
double compensated_sum(std::span<const double> values);

/// sum x_i y_i alike, products included (Dot2): error below |S| 2^-53 + (n 2^-53)^2 sum |x_i y_i|, unless a product
/// lies below 2^-969. Throws core::PreconditionError when the lengths differ.
double compensated_dot(std::span<const double> x, std::span<const double> y);

}  // namespace farfield::numerics
