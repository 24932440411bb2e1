// Frequencies of single pairs, found from a rotation's table.
#pragma once

#include <farfield/tensor/tensor.hpp>
#include <optional>
#include <vector>

#include "compare/model.hpp"

namespace farfield::compare {

/// By what the frequency of each pair is divided, beside the edits of `with`: decimals, the shortest that fit all
/// positions looked at; 1 where the declared frequency does. Each is found by least squares from a quarter to 4096, on
/// the first positions and then on ever more. Nothing where a pair fits none, where there are fewer than 16 positions,
/// which could be fitted whatever they are, or of a tensor without positions.
std::optional<Choice> pair_factors(const Case& all, const std::vector<Choice>& with, const tensor::Tensor& tensor);

/// The table's multiple, where its cosines at position 0 are all the same number and not 1; else nothing.
std::optional<Choice> multiple_of(const Case& all, const tensor::Tensor& tensor);

}  // namespace farfield::compare
