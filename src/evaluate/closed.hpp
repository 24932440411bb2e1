// Closed formulas: what is known of them without a loss.
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

/// A program without inputs, by interval arithmetic of so many bits.
core::Enclosure enclose_closed(const formula::Program& program, long bits);
Truth decide_closed(const formula::Program& program, long bits);

/// The exact values that a tree's names and tables stand for.
struct ExactValues {
    std::function<std::optional<numerics::Rational>(const std::string& name)> value;
    std::function<std::optional<numerics::Rational>(const std::string& table, const numerics::Rational& index)> entry;
};

/// The rational number that a formula is: by rational arithmetic, with roots, powers and functions where these are
/// rational (8^(1/3), log2(8), exp(0)), short loops, and floor, ceil, round, sign of any number whose enclosure tells.
/// Nothing if it is not known to be rational, if a name has no value, and where it takes more than some thousand
/// operations.
std::optional<numerics::Rational> exact_value(const formula::Node& tree, const ExactValues& values = {});

/// exact_value() of a formula's text at a value of its one variable, which `enclosure` contains; nothing without a
/// text, and where the enclosure knows nothing: a part of the formula may then lack a value, even one that does not
/// matter.
std::optional<numerics::Rational> exact_at(const std::string& formula, const std::string& variable,
                                           const numerics::Rational& at, const core::Enclosure& enclosure);

/// The true value of a row of a column that is a formula's over a grid and is enclosed, where exact_at() knows it.
std::optional<numerics::Rational> exact_row(const core::Series& series, const core::Column& column, std::size_t row);

/// The truth of a condition over exact numbers. Rational numbers are compared as such. Others are told apart by
/// enclosures of up to 1024 bits, and are equal only if the laws of the reals prove it (log(e) and 1) and interval
/// evaluation shows that every part of both has a value.
Truth decide_exactly(const formula::Node& tree, const ExactValues& values = {});

}  // namespace farfield::evaluate
