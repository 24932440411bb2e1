// Weights of attention by distance, by their definitions.
#pragma once

#include <string>
#include <vector>

#include "soundness/judges.hpp"

namespace farfield::soundness {

using Weights = std::vector<recheck::Number>;

/// A number of the question, or what it is without one.
recheck::Number value_of(const Question& question, const std::string& key, const std::string& otherwise);

/// A logit of -inf has no weight; one without a value leaves none of the weights with one.
Weights softmax(const Weights& logits);
/// residual at 0 plus (1 - residual) of the row.
Weights with_residual(Weights row, const recheck::Number& residual);
/// The first `size` entries of the convolution.
Weights convolved(const Weights& a, const Weights& b, std::size_t size);

/// The cell is the smallest count of nearest weights whose sum is more than the mass.
Outcome judge_width(const std::string& name, const core::Cell& cell, const Weights& row, const recheck::Number& mass);

}  // namespace farfield::soundness
