// A scheme's formulas as their author wrote them: with the names of params and let kept.
#pragma once

#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::exporting {

struct Written {
    formula::Node formula;
    formula::Node when;  ///< null: always
};

Written written(const scheme::Piece& piece);

/// A name of `let` and what it stands for.
struct Let {
    std::string name;
    formula::Node formula;
};

/// The let names that the formulas need, each after those it uses itself.
std::vector<Let> needed_lets(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// Free names and tables of the formulas and of the let names they need.
std::vector<std::string> used_names(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// The formula with let names put in.
formula::Node without_lets(const scheme::Scheme& scheme, const formula::Node& tree);

/// The learned name, or null.
const scheme::Learned* find_learned(const scheme::Scheme& scheme, std::string_view name);

/// A variable of the formula language and what it is.
struct Variable {
    std::string_view name;
    std::string_view meaning;
};

/// The variables that the formulas use, positions first.
std::vector<Variable> variables_of(const scheme::Scheme& scheme, const std::vector<formula::Node>& formulas);

/// What a param or a learned name is, in words; "" where the scheme does not say.
std::string meaning_of(const scheme::Scheme& scheme, std::string_view name);

/// Where the scheme's mask leaves a key visible, and where it does not act. Causality is not part of it.
formula::Node written_mask(const scheme::Scheme& scheme);

/// The bias, 0 where it does not act, divided by sqrt(d) if it is added before that division.
formula::Node written_bias(const scheme::Scheme& scheme);

/// The piece, `otherwise` where it does not act.
formula::Node guarded(const scheme::Piece& piece, const char* otherwise);

}  // namespace farfield::exporting
