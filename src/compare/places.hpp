// Where the lines of a tensor stand, found from their numbers: a line is all numbers at one position, one distance or
// of one head.
#pragma once

#include <farfield/tensor/tensor.hpp>
#include <optional>
#include <vector>

#include "compare/model.hpp"

namespace farfield::compare {

/// The edits of places that would explain which lines of the tensor are not at the place where `model` has them, their
/// constants put in. The model's own numbers say where such a line belongs: at the nearest of all places up to four
/// times the length, or 32768. Nothing where all lines looked at are right. Cost: two lines of up to 24 numbers at each
/// of those places, and one look at up to 65536 lines.
std::vector<Choice> moved_places(const Case& all, const Model& model, const tensor::Tensor& tensor);

/// The edit with its constants, where the tensor's shape alone says them; else nothing.
std::optional<Choice> with_constants_of_shape(const Case& all, const Edit& edit);

/// The heads for which each head of the tensor stands, where some stand for others; else nothing.
std::vector<Choice> order_of_heads(const Case& all, const Model& model, const tensor::Tensor& tensor);

}  // namespace farfield::compare
