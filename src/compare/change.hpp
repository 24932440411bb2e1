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

/// The value of an edit's `to` as a number.
double number_of(const Edit& edit);

/// The angle at position 1.
formula::Node frequency_of(const formula::Node& angle);

/// Changes a piece or a key of the scheme; returns false if there is none, or if nothing changes.
bool change_scheme(const Choice& choice, scheme::Scheme& scheme);

/// Replaces p, or n, by the formula `place`.
void move(const std::string& axis, const formula::Node& place, scheme::Scheme& scheme);

/// Uses one set of formulas for all heads: the head is a separate name, which no context replaces, or a number if an
/// edit supposes one.
void put_in_head(scheme::Scheme& scheme, const formula::Node& number);

}  // namespace farfield::compare
