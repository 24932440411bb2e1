// The value of a param that fits a tensor's numbers.
#pragma once

#include <string>
#include <vector>

#include "compare/model.hpp"
#include "compare/sample.hpp"

namespace farfield::compare {

/// Values of a numeric param that come nearest to the sample beside the edits of `with`, as decimals, the shortest
/// first; empty where the param changes nothing, or the declared value is the nearest. They are found by least squares,
/// over 2^-12 to 2^12 times the declared value, on the first positions and then on ever more, so that no turn of an
/// angle is mistaken for another. Whether one explains the numbers is the caller's to look at.
std::vector<std::string> fitted_values(const Case& all, const std::string& param, double declared,
                                       const std::vector<Choice>& with, const Edit& fitted, Sample& sample);

}  // namespace farfield::compare
