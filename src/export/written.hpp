// A scheme's formulas as written, with the names of params and let.
#pragma once

#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::exporting {

struct Language;

struct Written {
    formula::Node formula;
    formula::Node when;  ///< null: always
};

Written written(const scheme::Piece& piece);

/// A name of `let` and its formula.
struct Let {
    std::string name;
    formula::Node formula;
};

/// The let names that the formulas need, each after the names that it uses.
std::vector<Let> needed_lets(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// Free names and tables of the formulas and of the let names they need.
std::vector<std::string> used_names(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// The formula with let names substituted.
formula::Node without_lets(const scheme::Scheme& scheme, const formula::Node& tree);

/// The learned name, or null.
const scheme::Learned* find_learned(const scheme::Scheme& scheme, std::string_view name);

/// A variable of the formula language and its meaning.
struct Variable {
    std::string_view name;
    std::string_view meaning;
};

/// The variables that the formulas use, positions first.
std::vector<Variable> variables_of(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// Whether the formula is a condition.
bool is_boolean(const scheme::Scheme& scheme, const formula::Node& tree);

/// The formula for a library that computes all branches of a conditional and differentiates them: 0 times the infinite
/// derivative of a branch that is not taken would be NaN. Where a branch is not taken, its let names and the arguments
/// of its functions are 1/2, at which every function of the language has a finite value. Without learned names, or
/// without gradients of the language, the formula stays as it is.
formula::Node with_finite_gradients(const scheme::Scheme& scheme, const Language& language, const formula::Node& tree);

/// The description of a param or a learned name; "" if the scheme has none.
std::string meaning_of(const scheme::Scheme& scheme, std::string_view name);

/// The condition under which the scheme's mask leaves a key visible or does not apply. It does not include causality.
formula::Node written_mask(const scheme::Scheme& scheme);

/// The bias, 0 where it does not apply, divided by sqrt(d) if it is added before that division.
formula::Node written_bias(const scheme::Scheme& scheme);

/// The piece, or `otherwise` where it does not apply.
formula::Node guarded(const scheme::Piece& piece, const char* otherwise);

}  // namespace farfield::exporting
