// Number formats and rounding to them, from their definitions.
#pragma once

#include <optional>
#include <string_view>

#include "recheck/evaluator.hpp"

namespace farfield::recheck {

/// A binary format: `bits` of significand including the hidden bit, the exponents of its normal numbers, its largest
/// number, and whether larger values are NaN (e4m3) instead of infinite.
struct Format {
    std::string_view name;
    long bits;
    long lowest;  ///< exponent of the smallest normal number, 2^lowest
    Rational largest;
    Rational overflow;       ///< magnitudes from here on are not finite
    bool is_above_overflow;  ///< only above it: a tie goes to the even significand of the largest number
};

/// fp64 (double), fp32 (float), fp16, bf16, e4m3, e5m2. Throws Unprovable for other names.
const Format& find_format(std::string_view name);

/// The number of the format to which all values of x round, ties to even; nothing if they round to different numbers,
/// and an infinity if all overflow.
std::optional<Number> rounded(const Format& format, const Number& x);
/// Both ends rounded; without a value if one overflows.
Number rounded_between(const Format& format, const Number& x);

/// The rounding operators: the rounded values of x, which exist where x exists and does not overflow.
Number in_format(const Format& format, const Number& x);

/// The value of a formula with literals, variables and every operation rounded to the format.
std::optional<Number> stepwise(const Node& tree, const Format& format, const Evaluator::Box& box);

/// Whether a value overflows, is not zero but rounds to zero, or rounds to a number below the smallest normal one.
enum class Event { overflow, underflow, subnormal };
Truth happens(Event event, const Format& format, const Number& x);

}  // namespace farfield::recheck
