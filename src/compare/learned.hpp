// Substitutes values of learned names into a scheme's formulas.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <span>

#include "compare/model.hpp"

namespace farfield::compare {

/// The value of a raw number of a positive name.
double value_of_raw(std::span<const Choice> choices, const scheme::Learned& learned, double number);

/// Substitutes the question's learned values. Each name must be one of the scheme, and the number of its values must
/// match its size and heads.
void put_in_values(const Case& all, double heads, std::span<const Choice> choices, scheme::Scheme& scheme);

/// Whether some learned values have no shape, or as many columns as there are heads.
bool may_be_transposed(const Case& all);

}  // namespace farfield::compare
