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
        explanations;             ///< sets of the same size, the nearest first; equally near ones in the table's order
    std::vector<Choice> nearest;  ///< if none explains: the nearest by a first check, if far nearer than declared
    std::size_t tried = 0;
};

/// Tries sets of up to three edits: first those of conventions only, then those with one other edit, and so on; with
/// equally many, smaller sets come first, in the order of the table. A set that explains the sample is tried on all
/// numbers. If it does not explain them, the number with the largest error is added to the sample. Before sets with two
/// other edits, a value of each param is fitted, alone and with conventions.
Found search(const Case& all, const Model& declared, const tensor::Tensor& tensor, Sample& sample);

/// The same, only among ways of computing.
Found search_arithmetic(const Case& all, const tensor::Tensor& tensor, Sample& sample);

}  // namespace farfield::compare
