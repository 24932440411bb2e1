// The conditions that a scheme's params must meet.
#pragma once

#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// An entry of the table `require` of a scheme's settings: a condition on params under the name of one of them.
struct Requirement {
    std::string param;
    core::Place place;
    std::string text;
    formula::Node condition;
};

/// Reads the table `require`.
std::vector<Requirement> read_requirements(const Scheme& scheme, core::Problems& problems);

/// Checks the values of the scheme's params. A condition that they do not meet is a problem at the param.
void check_requirements(const Scheme& scheme, const std::vector<Requirement>& requirements, core::Problems& problems);

}  // namespace farfield::scheme
