// A program over many points, in any number system.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// from, from + step, ..., `count` values; not stored.
struct Range {
    double from = 0;
    double step = 1;
    std::size_t count = 0;

    double at(std::size_t index) const { return from + step * static_cast<double>(index); }
};

/// The values of one varying input: a range, or one value for each point.
using Lane = std::variant<Range, std::span<const double>>;

/// The inputs of a program, in the order of its signature. All lanes have `points` values (1 if there is no varying
/// input).
struct Inputs {
    std::vector<double> uniform;
    std::vector<Lane> varying;
    std::vector<std::span<const double>> tables;
    std::size_t points = 1;
};

/// The program at every point, as doubles; booleans are 1 and 0. Points are spread over the processors; the digits do
/// not depend on how many there are. NaN marks a point where a formula has no value (and a reduction whose bounds are
/// no integers). double and float: SIMD blocks (each operator within 2 ulp, softplus and sigmoid within 4); low
/// precision: every operation rounded; mpN: rounded to double at the end; interval: the midpoint. Sums of the form
/// sum_i c(i) cos(n theta(i) + phi(i)) over a range of n are evaluated by angle addition (evaluate/linear_phase.hpp
/// says when, and with which error bound). Throws core::PreconditionError if inputs do not match the signature.
std::vector<double> evaluate(const formula::Program& program, const Inputs& inputs, const NumberSystem& system = {});

/// The same into memory of the caller; result.size() must be inputs.points.
void evaluate_into(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                   std::span<double> result);

/// The values in mpN with all digits, as decimal text.
std::vector<std::string> evaluate_text(const formula::Program& program, const Inputs& inputs, int digits);

/// Index of the first point that is NaN, or `values.size()`.
std::size_t first_nan(std::span<const double> values);

}  // namespace farfield::evaluate
