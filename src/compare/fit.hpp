// The number that fits a tensor: the value of a param, or a constant of an edit.
#pragma once

#include <string>
#include <vector>

#include "compare/model.hpp"
#include "compare/sample.hpp"

namespace farfield::compare {

/// A choice that lacks its constant, and what the constant is where nothing is changed.
struct Unknown {
    Choice choice;
    double declared = 1;
};

/// Constants of `unknown` that come nearest to the sample beside the edits of `with`, as decimals, the shortest first;
/// empty where the constant changes nothing, or the declared value is the nearest. They are found by least squares,
/// over 2^-12 to 2^12 times the declared value, on the first positions and then on ever more, so that no turn of an
/// angle is mistaken for another. Whether one explains the numbers is the caller's to look at.
std::vector<std::string> fitted_values(const Case& all, const Unknown& unknown, const std::vector<Choice>& with,
                                       Sample& sample);

}  // namespace farfield::compare
