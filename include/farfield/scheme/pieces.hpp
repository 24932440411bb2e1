// The formulas a scheme is made of, in the order in which they act.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
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

/// The problem of a scheme with `rotate.far` where one angle for each position is taken for granted; nothing for
/// another scheme. `what` is the beginning of a sentence: "safe-length does".
std::optional<core::Diagnostic> far_problem(const Scheme& scheme, std::string_view what, const core::Place& place = {});

/// Throws that problem as a core::UserError.
void refuse_far(const Scheme& scheme, std::string_view what);

/// The params, let and learned names that a formula of the scheme depends on, each once.
std::vector<std::string> names_in_use(const Scheme& scheme);

}  // namespace farfield::scheme
