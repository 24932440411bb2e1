// The smallest set of variations that explains a tensor.
#pragma once

#include <farfield/tensor/tensor.hpp>
#include <optional>
#include <vector>

#include "compare/model.hpp"
#include "compare/sample.hpp"
#include "compare/tally.hpp"

namespace farfield::compare {

struct Explanation {
    std::vector<Choice> choices;
    Tally tally;  ///< of all numbers
};

struct Found {
    std::vector<Explanation>
        explanations;             ///< sets of one size, the nearest first; of those alike, in the table's order
    std::vector<Choice> nearest;  ///< if none explains: what comes nearest by a first look, if far nearer than declared
    std::size_t tried = 0;
};

/// Tries sets of one, two and three edits, in the order of the table: on the sample, then on all numbers. What explains
/// the sample and not all numbers adds the number furthest off to the sample.
Found search(const Case& all, const Model& declared, const tensor::Tensor& tensor, Sample& sample);

/// The same among ways of computing alone.
Found search_arithmetic(const Case& all, const tensor::Tensor& tensor, Sample& sample);

}  // namespace farfield::compare
