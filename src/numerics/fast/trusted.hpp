// The elementary functions of the fast enclosures: the only way from an interval to a library's function.
//
// The library is SLEEF. The u10 in the name of each function is a promise of its interface, the same on every machine
// and in every version: at most 1.0 unit in the last place off (sleef.org, "Math library reference"). Each table row
// says on which arguments this promise is relied upon, and tests/numerics/accuracy.cpp measures each row there against
// MPFR (docs/accuracy.md). Elsewhere nothing is enclosed, and the caller turns to MPFI.
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

/// Two numbers, which SLEEF takes at once.
typedef double Pair __attribute__((vector_size(16)));

/// A function of one number. Trusted are arguments from `low` to `high`, but for those nearer to zero than least_size.
struct TrustedFunction {
    std::string_view name;
    decltype(&Sleef_expd2_u10) library;
    double low, high;
    double exact_at, exact_value;  ///< an argument and the value there, known without any library
    Interval range;                ///< of all values
};

/// A function of two numbers. Trusted are arguments of these sizes where the library's result has a size from
/// least_size to most_size.
struct TrustedFunctionOfTwo {
    std::string_view name;
    decltype(&Sleef_powd2_u10) library;
    double first_least, first_most;
    double second_least, second_most;
};

/// Subnormal arguments and results, and those near them and near overflow, are never trusted.
constexpr double least_size = 0x1p-1000;
constexpr double most_size = 0x1p1000;
/// Doubles to each side of the library's result: two units in the last place at least, twice what SLEEF states.
constexpr std::int64_t trusted_steps = 4;
/// Up to here every version of SLEEF since 3.2 states its bound for sin, cos and tan (later ones without a limit).
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

/// Doubles in order as integers: equal distances are equal numbers of doubles between.
inline std::int64_t rank(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}
inline double from_rank(std::int64_t rank) {
    return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

/// What is known of a value that SLEEF computed: of a size that is neither subnormal nor infinite.
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

/// Nothing where an end is not trusted, as infinite and undefined ones are not.
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
