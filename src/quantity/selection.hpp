// The subject of a quantity: a scheme at a head, width and length, or formulas with names substituted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/scheme/context.hpp>

#include "numerics/rational.hpp"

namespace farfield::quantity {

/// A checked formula. All names except the kind's variables have been replaced: `let` and `params` by their values, and
/// h, H, d, L, Ltr, layer and R by the keys head, heads, head_dim, length, train_length, layer and layers, if these are
/// given.
struct Checked {
    formula::Node tree;
    formula::Source source;
};

/// Which names a formula of the user may contain, and which of them stay free.
struct Formula {
    std::string_view key = "formula";
    std::vector<std::string> variables = {};  ///< stay free in the tree
    formula::Type type = formula::Type::real;
    bool any_name = false;  ///< other names may occur and stay free (parameters of a fit)
};

/// The formula under `wanted.key`: a text or a number. Nothing if the key is missing or a problem was added. It is a
/// problem if the quantity's `let` or `params` define a name that is one of its variables.
std::optional<Checked> read_formula(const Declaration& declaration, const Formula& wanted, core::Problems& problems);

/// The same for any text or number inside the settings (such as a list of masks).
std::optional<Checked> read_formula(const Declaration& declaration, const core::Value& value, const Formula& wanted,
                                    core::Problems& problems);

/// A scheme with the quantity's `params` and `let` in place of its own and with values for learned names.
struct Selection {
    scheme::Scheme scheme;
    scheme::Context context;
    core::Place place;  ///< of the scheme's name
};

/// The scheme that the key `scheme` names; nothing if the key is missing or a problem was added.
std::optional<Selection> read_scheme(const Declaration& declaration, core::Problems& problems);

/// Sets L to the largest position in use + 1, at least 1, unless `length` gives it. Reports a length that no double
/// equals if the scheme depends on L or Ltr. `place` is that of the positions.
void use_default_length(Selection& selection, const numerics::Rational& largest, const core::Place& place,
                        core::Problems& problems);

/// Reports the keys that the piece needs and the declaration lacks: head for h, heads for H, head_dim (width in embed)
/// for d, layer and layers. L and Ltr need no key: 0 means the largest position in use + 1. Marks the piece as used.
void require_context(const Declaration& declaration, const scheme::Piece& piece, core::Problems& problems);

/// Notes that the quantity evaluates a piece of a scheme, or reads a key of scheme_selection_keys() itself.
void use_piece(const Declaration& declaration, const scheme::Piece& piece);
void use_key(const Declaration& declaration, std::string_view key);

/// Reports the condition under the key if it depends on none of the variables.
void require_variable(const Declaration& declaration, std::string_view key, const Checked& condition,
                      const std::vector<std::string>& variables, core::Problems& problems);

/// Exactly one of `scheme`, `formula`, `of` (those in `keys`) must be given; reports a problem otherwise. Returns the
/// one that is given, or "".
std::string_view one_of(const Declaration& declaration, std::initializer_list<std::string_view> keys,
                        core::Problems& problems);

/// The place of a key's value, or of the heading if the key is missing.
core::Place place_of_key(const Declaration& declaration, std::string_view key);

/// The literal of a number of the file, from its text.
formula::Node literal(const core::Value& number);

}  // namespace farfield::quantity
