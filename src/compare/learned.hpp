// Values of learned names, put into a scheme's formulas.
#pragma once

#include <farfield/scheme/scheme.hpp>
#include <span>

#include "compare/model.hpp"

namespace farfield::compare {

/// What a raw number becomes of a name that is positive.
double value_of_raw(std::span<const Choice> choices, const scheme::Learned& learned, double number);

/// Puts the question's learned values in; each name must be the scheme's, and have as many as its size and heads ask.
void put_in_values(const Case& all, double heads, std::span<const Choice> choices, scheme::Scheme& scheme);

/// Whether some learned values have no shape, or as many columns as there are heads.
bool may_be_transposed(const Case& all);

}  // namespace farfield::compare
