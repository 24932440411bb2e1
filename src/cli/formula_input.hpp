// A formula of the command line with its values substituted.
#pragma once

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/tree.hpp>
#include <string>

#include "cli/command.hpp"
#include "numerics/progression.hpp"

namespace farfield::cli {

/// The options of a command about a formula.
struct FormulaOptions {
    std::string formula;
    Pairs let;
    std::string over;
    std::string system = "double";
    std::string derivative;
};

void add_formula_options(CLI::App& app, FormulaOptions& options);

/// `variable` runs over `range` if it is not empty; nothing else is free in the tree.
struct FormulaInput {
    formula::Node tree;
    formula::Type type = formula::Type::real;
    std::string variable;
    numerics::Progression range;
    evaluate::NumberSystem system;
};

/// Reads --let, --over, --in, --d and the formula. Throws core::UserError.
FormulaInput read_formula_input(const FormulaOptions& options);

/// A number as the shortest text that reads back to it: "-4", "0.1", "inf", "nan".
std::string number_text(double number);

}  // namespace farfield::cli
