// Edits of a scheme's own formulas and keys.
#pragma once

#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "compare/edits.hpp"

namespace farfield::compare {

formula::Node parsed(std::string_view text);

/// The pieces that an edit's `from` names.
std::vector<scheme::Piece*> pieces_of(scheme::Scheme& scheme, std::string_view name);

/// The number that an edit's `to` is.
double number_of(const Edit& edit);

/// The angle at position 1.
formula::Node frequency_of(const formula::Node& angle);

/// Changes a piece or a key of the scheme; false where there is none, or none that changes.
bool change_scheme(const Choice& choice, scheme::Scheme& scheme);

/// Replaces p, or n, by the formula `place`.
void move(const std::string& axis, const formula::Node& place, scheme::Scheme& scheme);

/// One set of formulas serves all heads: the head is a name of its own, which no context puts in; or a number, where it
/// is supposed to be one.
void put_in_head(scheme::Scheme& scheme, const formula::Node& number);

}  // namespace farfield::compare
