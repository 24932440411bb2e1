// Evaluates a program over enclosures. Verdicts are based on these enclosures.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/numerics/truth.hpp>

namespace farfield::evaluate {

/// Inputs of a program as enclosures; a table is a list of enclosures. Exact values are enclosures of width 0; literals
/// of the formula are enclosed from their decimal text.
struct EnclosedInputs {
    std::vector<core::Enclosure> uniform;
    std::vector<std::vector<core::Enclosure>> varying;  ///< [varying input][point]
    std::vector<std::span<const core::Enclosure>> tables;
    std::size_t points = 1;
};

/// How enclosures are computed. `fast` is double interval arithmetic, outward-rounded, elementary functions widened by
/// the bound of their implementation; `rigorous` is MPFI at 128 bits, rounded outward at the end. Both contain the true
/// value; the second is some hundred times slower and nearly as narrow as a double allows.
enum class Enclosing { fast, rigorous };

/// An enclosure of the program's real value at every point; [-inf, inf] if nothing is known (the value may be NaN).
std::vector<core::Enclosure> enclose(const formula::Program& program, const EnclosedInputs& inputs,
                                     Enclosing how = Enclosing::rigorous);

using numerics::Truth;

/// The truth of a boolean program at every point.
std::vector<Truth> decide(const formula::Program& program, const EnclosedInputs& inputs,
                          Enclosing how = Enclosing::rigorous);

/// The values that a name, or an entry of a table, may have.
using RangeOf = std::function<core::Enclosure(const formula::Node& name)>;

/// The truth value of a condition if it is the same for all values of its names and table entries in their ranges.
/// Nothing if the truth value depends on them or is not known, or if the condition contains a reduction, a call or inf.
std::optional<bool> decide_for_all(const formula::Node& condition, const RangeOf& range_of);

}  // namespace farfield::evaluate
