// Compares a model with every number of a tensor.
#pragma once

#include <farfield/tensor/tensor.hpp>

#include "compare/model.hpp"
#include "compare/tally.hpp"

namespace farfield::compare {

/// Reads the tensor once, by pieces, on all processors. Biases and masks that depend only on the distance are computed
/// once per distance, everything else for each number.
Tally scan(const Case& all, const Model& model, const tensor::Tensor& tensor);

}  // namespace farfield::compare
