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

/// From `from` to `to`, each an unknown number of its interval. Parts of the interval are halved, the widest enclosures
/// first, until those of all parts together are 2^-43 of the magnitudes, halving narrows them no more, or 40,000 parts
/// were looked at.
Integral integral(const numerics::Interval& from, const numerics::Interval& to, const OnParts& function);

/// For evaluators of numbers: the integral whose loop begins at row `begin`, of a program whose registers have these
/// values. NaN if it is not enclosed within 2^-30 of the integral of magnitudes.
double integral_of_numbers(const formula::Program& program, std::size_t begin, const std::vector<double>& reals,
                           const std::vector<numerics::Truth>& booleans,
                           std::span<const std::span<const double>> tables);

}  // namespace farfield::evaluate
