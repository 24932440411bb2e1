// Exponentials of a row, at the evaluator's speed.
#pragma once

#include <span>

namespace farfield::quantity {

/// result_i = exp(scale x_i - shift), each within 2 units in the last place of exp of the rounded argument. Spans are
/// equally long.
void shifted_exp(std::span<const double> x, double scale, double shift, std::span<double> result);

}  // namespace farfield::quantity
