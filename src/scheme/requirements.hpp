// The conditions that a scheme's params and learned names must meet.
#pragma once

#include <string>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// An entry of the table `require` of a scheme's settings: a condition on params, learned numbers and let names, under
/// the name of one of them.
struct Requirement {
    std::string name;
    core::Place place;
    std::string text;
    formula::Node condition;
};

/// Reads the table `require`.
std::vector<Requirement> read_requirements(const Scheme& scheme, core::Problems& problems);

/// Checks the values of the scheme's params, and those at which learned numbers start. A condition that they do not
/// meet is a problem at the name. A condition on a let name that depends on variables is not checked.
void check_requirements(const Scheme& scheme, const std::vector<Requirement>& requirements, core::Problems& problems);

/// Gives a learned number another start, for check_requirements. The settings keep only the number.
void start_at(Scheme& scheme, const core::Entry& value);

/// Reports a number that another would replace as a double: lengths, heads and learned values are doubles.
void require_double(const core::Value& value, core::Problems& problems);

}  // namespace farfield::scheme
