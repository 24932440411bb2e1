// Binary floating-point formats as rows of one table, and the rounding of a double to any of them.
//
// A format stores a sign, `exponent_bits` of biased exponent and `mantissa_bits` of fraction; a zero exponent field
// holds zero and the subnormal numbers. What the all-ones exponent field holds is the row's overflow rule.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::numerics {

/// The result of rounding a number that is too large for a format. It also determines what the all-ones exponent field
/// contains.
enum class OverflowRule {
    infinite,      ///< IEEE 754: the field holds infinity and NaN, and overflow gives infinity.
    not_a_number,  ///< OCP 8-bit "FN": the field holds numbers, its last fraction alone is NaN, and overflow gives NaN.
};

/// One number format.
struct Format {
    std::string_view name;     ///< As users write it: `fp16`.
    std::string_view aliases;  ///< Other names, separated by `|`: `half|float16`.
    int exponent_bits;
    int mantissa_bits;  ///< Stored fraction bits, without the hidden one.
    OverflowRule overflow;
    std::string_view source;  ///< The standard that defines it.

    /// Its name, then the other ones.
    std::vector<std::string> names() const;
    bool is_called(std::string_view other) const;
};

/// The rows of formats.def under their names: known::fp16.
namespace known {
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    inline constexpr Format name{#name, alias, exponent_bits, mantissa_bits, OverflowRule::overflow, source};
#include <farfield/numerics/formats.def>
}  // namespace known

/// All formats, in the order `farfield list formats` prints them.
std::span<const Format> formats();

/// The format with this name or one of these other names, or null.
const Format* find_format(std::string_view name);

/// 2^e for -1022 <= e <= 1023.
constexpr double power_of_two(int e) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
}

/// Exponent of the smallest normal number: 2 - 2^(exponent_bits - 1).
constexpr int lowest_exponent(const Format& format) {
    return 2 - (1 << (format.exponent_bits - 1));
}

/// Exponent of the largest finite number.
constexpr int highest_exponent(const Format& format) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    return format.overflow == OverflowRule::infinite ? bias : bias + 1;
}

/// The largest finite number: 65504 for fp16, 448 for e4m3.
constexpr double largest_finite(const Format& format) {
    const int lost = format.overflow == OverflowRule::infinite ? 0 : 1;
    return (2 - power_of_two(lost - format.mantissa_bits)) * power_of_two(highest_exponent(format));
}

/// The smallest positive number with a hidden one: 2^lowest_exponent.
constexpr double smallest_normal(const Format& format) {
    return power_of_two(lowest_exponent(format));
}

/// The smallest positive number: 2^(lowest_exponent - mantissa_bits).
constexpr double smallest_subnormal(const Format& format) {
    return power_of_two(lowest_exponent(format) - format.mantissa_bits);
}

/// `value` rounded once to the nearest number of the format, ties to the even fraction; reads as a cast.
/// Subnormals are kept, a zero keeps its sign, NaN stays NaN. From the point halfway between the largest finite number
/// and the one that would follow, the overflow rule holds: infinity, or NaN (e4m3: 464 is a tie and gives 448, above it
/// NaN). The result is exact, and a double. A sum, difference, product, quotient or root of two numbers of a format
/// with at most 24 significant bits that is computed in double and then rounded here is correctly rounded (double
/// rounding is harmless at 53 >= 2*24 + 2 bits; S. Figueroa, "When is double rounding innocuous?", 1995).
inline double round_to(const Format& format, double value) {
    // Adding 2^52 quanta leaves no room for a fraction of a quantum, so the processor's own rounding does the work.
    const int field = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52) & 0x7ff;
    const int exponent = std::clamp(field - 1023, lowest_exponent(format), highest_exponent(format));
    const double shift = power_of_two(52 + exponent - format.mantissa_bits);
    const double rounded = (std::fabs(value) + shift) - shift;
    const double beyond = format.overflow == OverflowRule::infinite ? std::numeric_limits<double>::infinity()
                                                                    : std::numeric_limits<double>::quiet_NaN();
    return std::copysign(rounded > largest_finite(format) ? beyond : rounded, value);
}

/// Every element of `values` replaced by `round_to(format, element)`.
void round_all(const Format& format, std::span<double> values);

/// The bit pattern of `round_to(format, value)`: sign, exponent field, fraction, in the low bits. NaN gives the pattern
/// with an all-ones exponent field and the leading fraction bit set (e4m3: all ones).
std::uint32_t encode(const Format& format, double value);

/// The number a bit pattern stands for; bits above the format's width are an error.
/// Throws core::PreconditionError when `bits` has a bit set above the format's width.
double decode(const Format& format, std::uint32_t bits);

/// The smallest number of the format (infinity included where it has one) greater than `value`, which need not be of
/// the format itself. Above the largest finite number of a format without infinities, and at NaN: NaN.
double next_above(const Format& format, double value);

/// The largest number of the format less than `value`: -next_above(-value).
double next_below(const Format& format, double value);

/// Width of the format in bits: 1 + exponent_bits + mantissa_bits.
constexpr int width_in_bits(const Format& format) {
    return 1 + format.exponent_bits + format.mantissa_bits;
}

}  // namespace farfield::numerics
