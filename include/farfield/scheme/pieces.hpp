// The formulas a scheme is made of, in the order in which they act.
#pragma once

#include <string>
#include <vector>

#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// A piece that a scheme has, under the name of its place: "bias", "rotate.angle".
struct NamedPiece {
    std::string name;
    const Piece* piece;
};

/// Every piece of the scheme.
std::vector<NamedPiece> pieces_of(const Scheme& scheme);

/// A formula of a scheme under the name of its place: "bias", "rotate.angle", "mask.when".
struct NamedFormula {
    std::string name;
    formula::Node formula;
};

/// Every formula of the scheme and the conditions under which they act.
std::vector<NamedFormula> formulas_of(const Scheme& scheme);

/// The params, let and learned names that a formula of the scheme depends on, each once.
std::vector<std::string> names_in_use(const Scheme& scheme);

}  // namespace farfield::scheme
