// Exact values and truths of closed formulas.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/tree.hpp>

#include "numerics/rational.hpp"

namespace farfield::evaluate {

/// Encloses a program without inputs, by interval arithmetic with this many bits.
core::Enclosure enclose_closed(const formula::Program& program, long bits);
Truth decide_closed(const formula::Program& program, long bits);

/// The exact values of a tree's names and tables.
struct ExactValues {
    std::function<std::optional<numerics::Rational>(const std::string& name)> value;
    std::function<std::optional<numerics::Rational>(const std::string& table, const numerics::Rational& index)> entry;
};

/// The exact value of a formula if it is rational. It is computed by rational arithmetic, with roots, powers and
/// functions whose value is rational (8^(1/3), log2(8), exp(0)), with short loops, and with floor, ceil, round and sign
/// of any number whose enclosure decides them. Nothing if the value is not known to be rational, if a name has no
/// value, or if more than some thousand operations are needed.
std::optional<numerics::Rational> exact_value(const formula::Node& tree, const ExactValues& values = {});

/// exact_value() of a formula's text at a value of its one variable, which `enclosure` contains; nothing without a
/// text, or if the enclosure is unknown, because then a part of the formula may have no value, even one that does not
/// affect the result.
std::optional<numerics::Rational> exact_at(const std::string& formula, const std::string& variable,
                                           const numerics::Rational& at, const core::Enclosure& enclosure);

/// The true value of one entry of an enclosed column of a formula over a grid, if exact_at() knows it.
std::optional<numerics::Rational> exact_row(const core::Series& series, const core::Column& column, std::size_t row);

/// The truth of a condition over exact numbers. Rational numbers are compared as such. Other numbers are distinguished
/// by enclosures of up to 1024 bits. They are equal only if the laws of the reals prove it (log(e) and 1) and interval
/// evaluation shows that every part of both has a value.
Truth decide_exactly(const formula::Node& tree, const ExactValues& values = {});

}  // namespace farfield::evaluate
