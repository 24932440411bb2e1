// The elementary functions of the fast enclosures. Intervals call functions of a library only through this header.
//
// The library is SLEEF. The u10 in the name of each function is a bound that its interface guarantees on every
// processor and in every version: an error of at most 1.0 unit in the last place (sleef.org, "Math library reference").
// Each row of the table states the arguments for which this bound is used, and tests/numerics/accuracy.cpp compares
// each row with MPFR there (docs/accuracy.md). For other arguments nothing is enclosed, and the caller uses MPFI.
#pragma once

#include <sleef.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "farfield/numerics/interval.hpp"

namespace farfield::numerics::fast {

/// Two numbers, which SLEEF processes together.
using Pair __attribute__((vector_size(16))) = double;

/// A function of one number. Arguments from `low` to `high` are trusted, except those nearer to zero than least_size.
struct TrustedFunction {
    std::string_view name;
    decltype(&Sleef_expd2_u10) library;
    double low, high;
    double exact_at, exact_value;  ///< an argument and its value, which are known without a library
    Interval range;                ///< the range of all values
};

/// A function of two numbers. Arguments of these sizes are trusted if the library's result has a size from least_size
/// to most_size.
struct TrustedFunctionOfTwo {
    std::string_view name;
    decltype(&Sleef_powd2_u10) library;
    double first_least, first_most;
    double second_least, second_most;
};

/// Arguments and results that are subnormal, nearly subnormal or near overflow are never trusted.
constexpr double least_size = 0x1p-1000;
constexpr double most_size = 0x1p1000;
/// Doubles on each side of the library's result. These are at least two units in the last place, twice SLEEF's stated
/// bound.
constexpr std::int64_t trusted_steps = 4;
/// Up to this angle, every version of SLEEF since 3.2 states its bound for sin, cos and tan (later versions without a
/// limit).
constexpr double largest_trusted_angle = 0x1p46;

constexpr double infinity = std::numeric_limits<double>::infinity();

#define KNOWN(name, stem, at, value, low, high, least, greatest)                                \
    inline constexpr TrustedFunction trusted_##stem{#stem, Sleef_##stem##d2_u10, low, high, at, \
                                                    value, {least, greatest}};
#include "farfield/numerics/functions.def"
inline constexpr TrustedFunctionOfTwo trusted_atan2{"atan2", Sleef_atan2d2_u10, 0x1p-500, 0x1p500, 0x1p-500, 0x1p500};
inline constexpr TrustedFunctionOfTwo trusted_pow{"pow", Sleef_powd2_u10, least_size, most_size, 0x1p-60, 0x1p60};

/// Every row, for tests and the page.
inline constexpr TrustedFunction trusted_functions[] = {
#define KNOWN(name, stem, at, value, low, high, least, greatest) trusted_##stem,
#include "farfield/numerics/functions.def"
};
inline constexpr std::array trusted_functions_of_two{trusted_atan2, trusted_pow};

/// Maps doubles to integers in order, so that a difference is the number of doubles between two values.
inline std::int64_t rank(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
inline double from_rank(std::int64_t rank) {
    return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

/// The enclosure of a value that SLEEF computed, whose size is neither subnormal nor infinite.
inline Interval around(double found) {
    return {from_rank(rank(found) - trusted_steps), from_rank(rank(found) + trusted_steps)};
}

inline bool is_trusted(const TrustedFunction& row, double x) {
    return x == row.exact_at || (x >= row.low && x <= row.high && std::fabs(x) >= least_size);
}
inline bool is_trusted(const TrustedFunctionOfTwo& row, double a, double b) {
    const double first = std::fabs(a);
    const double second = std::fabs(b);
    return first >= row.first_least && first <= row.first_most && second >= row.second_least &&
           second <= row.second_most;
}

/// Enclosures of the values at both ends of an interval.
struct EndValues {
    Interval low;
    Interval high;
};

/// Nothing if an end is not trusted; infinite and undefined ends are not.
template <const TrustedFunction& row>
std::optional<EndValues> values_at_ends(const Interval& x) {
    if (!is_trusted(row, x.lo) || !is_trusted(row, x.hi)) return std::nullopt;
    const Pair found = row.library(Pair{x.lo, x.hi});
    const auto value = [](double argument, double result) {
        if (argument == row.exact_at) return point(row.exact_value);
        const Interval bounds = around(result);
        return Interval{std::max(bounds.lo, row.range.lo), std::min(bounds.hi, row.range.hi)};
    };
    return EndValues{value(x.lo, found[0]), value(x.hi, found[1])};
}

/// Enclosures of the values at (a, b.lo) and at (a, b.hi).
template <const TrustedFunctionOfTwo& row>
std::optional<EndValues> values_at_ends(double a, const Interval& b) {
    if (!is_trusted(row, a, b.lo) || !is_trusted(row, a, b.hi)) return std::nullopt;
    const Pair found = row.library(Pair{a, a}, Pair{b.lo, b.hi});
    const double low = found[0];
    const double high = found[1];
    const auto is_usual = [](double x) { return std::fabs(x) >= least_size && std::fabs(x) <= most_size; };
    if (!is_usual(low) || !is_usual(high)) return std::nullopt;
    return EndValues{around(low), around(high)};
}

}  // namespace farfield::numerics::fast
