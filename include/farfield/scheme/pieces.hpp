// The formulas of a scheme, in the order in which they are applied.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// A piece of a scheme with its key: "bias", "rotate.angle".
struct NamedPiece {
    std::string name;
    const Piece* piece;
};

/// Every piece of the scheme.
std::vector<NamedPiece> pieces_of(const Scheme& scheme);

/// Replaces each formula of the scheme, including the conditions `when`, by what `change` makes of it.
void change_formulas(Scheme& scheme, const std::function<formula::Node(const formula::Node&)>& change);

/// A formula of a scheme with its key: "bias", "rotate.angle", "mask.when".
struct NamedFormula {
    std::string name;
    formula::Node formula;
};

/// Every formula of the scheme, including the conditions `when`.
std::vector<NamedFormula> formulas_of(const Scheme& scheme);

/// The message for code that requires one angle for each position, if the scheme has `rotate.far`; nothing otherwise.
/// `what` is the beginning of the sentence: "safe-length does".
std::optional<core::Diagnostic> far_problem(const Scheme& scheme, std::string_view what, const core::Place& place = {});

/// Throws this message as a core::UserError.
void refuse_far(const Scheme& scheme, std::string_view what);

/// The params, let and learned names that a formula of the scheme depends on, each once.
std::vector<std::string> names_in_use(const Scheme& scheme);

}  // namespace farfield::scheme
