// What can be said of a bias or mask without knowing its formula.
#pragma once

#include <string>
#include <vector>

#include <farfield/tensor/tensor.hpp>

namespace farfield::compare {

/// One law and whether a tensor keeps it.
struct Law {
    std::string name;            ///< "causal"
    std::string meaning;         ///< what it asks, in a sentence
    bool holds = false;          ///< for every number looked at
    std::string counterexample;  ///< where it fails first, and with which numbers; "" if it holds
};

/// Looks at a tensor [..., queries, keys]:
///  finite       every number is finite, or -inf (a hidden key)
///  causal       every key after the query is hidden: false, or -10000 and below
///  relative     b[q + 1, k + 1] = b[q, k]: a function of q - k
///  translation  the same but for a constant a row, which a softmax does not see: tokens put before a text change
///               nothing within it (Sun et al. 2023, Eq. (2))
///  order        some row is not constant over the keys up to its own: a token's output depends on the order of those
///               before, which Eq. (1) of Sun et al. 2023 asks of a position model
/// Numbers are alike within `tolerance` units in the last place; hidden keys are alike whatever hides them. Reads the
/// tensor once. Errors: core::UserError for fewer than two axes or an empty tensor; `name` is the file, for messages.
std::vector<Law> laws(const tensor::Tensor& tensor, const std::string& name, double tolerance = 2);

}  // namespace farfield::compare
