// Finds the number that fits a tensor: the value of a param, or a constant of an edit.
#pragma once

#include <string>
#include <vector>

#include "compare/model.hpp"
#include "compare/sample.hpp"

namespace farfield::compare {

/// A choice without its constant, and the value of the constant that changes nothing.
struct Unknown {
    Choice choice;
    double declared = 1;
};

/// The constants of `unknown` that come nearest to the sample together with the edits of `with`, as decimals, the
/// shortest first. Empty if the constant changes nothing, or if the declared value is the nearest. They are found by
/// least squares over 2^-12 to 2^12 times the declared value, on the first positions and then on more and more, so that
/// no multiple of a full rotation is missed. The caller must check whether a constant explains the numbers.
std::vector<std::string> fitted_values(const Case& all, const Unknown& unknown, const std::vector<Choice>& with,
                                       Sample& sample);

}  // namespace farfield::compare
