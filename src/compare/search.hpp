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

/// Tries sets of up to three edits: those of conventions alone, then those with one other edit, and so on; of as many,
/// the smaller first, and then in the order of the table. What explains the sample is tried on all numbers, and where
/// it does not explain those, the number furthest off is added to the sample. Before sets with two other edits, a value
/// of each param is fitted, alone and with conventions.
Found search(const Case& all, const Model& declared, const tensor::Tensor& tensor, Sample& sample);

/// The same among ways of computing alone.
Found search_arithmetic(const Case& all, const tensor::Tensor& tensor, Sample& sample);

}  // namespace farfield::compare
