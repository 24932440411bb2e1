// Finds the places of a tensor's lines from their numbers. A line is all numbers at one position or distance, or of one
// head.
#pragma once

#include <farfield/tensor/tensor.hpp>
#include <optional>
#include <vector>

#include "compare/model.hpp"

namespace farfield::compare {

/// The edits of places, with their constants, that would explain the lines of the tensor that are not at the place
/// where `model` expects them. The model's own numbers determine the correct place of such a line: the nearest of all
/// places up to four times the length, or 32768. Nothing if all examined lines are correct. Cost: two lines of up to 24
/// numbers at each of those places, and one pass over up to 65536 lines.
std::vector<Choice> moved_places(const Case& all, const Model& model, const tensor::Tensor& tensor);

/// The edit with its constants, if the tensor's shape alone determines them; otherwise nothing.
std::optional<Choice> with_constants_of_shape(const Case& all, const Edit& edit);

/// The actual heads of the tensor's heads, if some differ; otherwise nothing.
std::vector<Choice> order_of_heads(const Case& all, const Model& model, const tensor::Tensor& tensor);

}  // namespace farfield::compare
