// The integral of a function over an interval of the reals, enclosed. Every evaluator's integral is this one.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <farfield/formula/program.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/truth.hpp>

namespace farfield::evaluate {

/// A function on an interval of its variable: its values there, and those of its fourth derivative. Undefined where the
/// function is not shown to have a value, or not shown to be analytic.
struct OnPart {
    numerics::Interval value;
    numerics::Interval fourth;
};
using OnParts = std::function<OnPart(const numerics::Interval&)>;

struct Integral {
    numerics::Interval value;  ///< undefined if no finite enclosure is found
    double magnitudes = 0;     ///< at least the integral of the function's magnitude
};

/// When a search ends: at a width of all enclosures together, as a share of the integral of magnitudes, when halving
/// narrows them no more, which is first asked at `first_look` parts, or at a number of parts.
struct SearchLimits {
    double width = 0x1p-43;
    std::size_t first_look = 64;
    std::size_t most_parts = 40'000;
};
/// Of an integral within another one, which looks at many, and of one that has such integrals within.
constexpr SearchLimits limits_within = {0x1p-36, 16, 4'096};
constexpr SearchLimits limits_around = {limits_within.width};
/// Of an integral with all loops and integrals within, each row of a body once for each turn: a second or two of
/// double intervals. Beyond it, the searches end with the parts that they have.
constexpr std::size_t most_operations_of_integral = 4'000'000;

/// From `from` to `to`, each an unknown number of its interval. Parts of the interval are halved, the widest enclosures
/// first, up to the limits, and while `left`, if given, is above 0.
Integral integral(const numerics::Interval& from, const numerics::Interval& to, const OnParts& function,
                  const SearchLimits& limits = {}, const std::size_t* left = nullptr);

/// For evaluators of numbers: the integral whose loop begins at row `begin`, of a program whose registers have these
/// values. NaN if it is not enclosed within 2^-30 of the integral of magnitudes.
double integral_of_numbers(const formula::Program& program, std::size_t begin, const std::vector<double>& reals,
                           const std::vector<numerics::Truth>& booleans,
                           std::span<const std::span<const double>> tables);

}  // namespace farfield::evaluate
