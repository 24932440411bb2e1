// Encloses the integral of a function over an interval of the reals. All evaluators use this integral.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <farfield/formula/program.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/truth.hpp>

namespace farfield::evaluate {

/// A function on an interval of its variable: its values there, and those of its fourth derivative. They are undefined
/// if the function is not proved to have a value, or not proved to be analytic.
struct OnPart {
    numerics::Interval value;
    numerics::Interval fourth;
};
using OnParts = std::function<OnPart(const numerics::Interval&)>;

struct Integral {
    numerics::Interval value;  ///< undefined if no finite enclosure is found
    double magnitudes = 0;     ///< an upper bound of the integral of the function's magnitude
};

/// A search ends at a total width of the enclosures (as a share of the integral of magnitudes), at a number of parts,
/// or if halving no longer narrows the enclosures, which is first checked at `first_look` parts. If the values at
/// points are narrower than those of the parts, shorter parts may narrow them, and the search continues up to 4,096
/// parts.
struct SearchLimits {
    double width = 0x1p-43;
    std::size_t first_look = 64;
    std::size_t most_parts = 40'000;
};
/// The limits of an integral inside another one, which evaluates it often, and of one that has such integrals inside.
constexpr SearchLimits limits_within = {0x1p-36, 16, 4'096};
constexpr SearchLimits limits_around = {limits_within.width};
/// The most operations of an integral with all loops and integrals inside it, where each row of a body counts once per
/// iteration: one or two seconds with double intervals. Beyond this, searches end with the parts that they have.
constexpr std::size_t most_operations_of_integral = 4'000'000;

/// The integral from `from` to `to`, each an unknown number in its interval. Halves parts of the interval, those with
/// the widest enclosures first, up to the limits, and while `left`, if given, is above 0.
Integral integral(const numerics::Interval& from, const numerics::Interval& to, const OnParts& function,
                  const SearchLimits& limits = {}, const std::size_t* left = nullptr);

/// For evaluators of numbers: the integral whose loop begins at row `begin`, of a program whose registers have these
/// values. NaN if it is not enclosed within 2^-30 of the integral of magnitudes.
double integral_of_numbers(const formula::Program& program, std::size_t begin, const std::vector<double>& reals,
                           const std::vector<numerics::Truth>& booleans,
                           std::span<const std::span<const double>> tables);

}  // namespace farfield::evaluate
