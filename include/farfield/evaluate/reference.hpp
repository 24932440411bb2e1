// A simple evaluator. Tests compare every other evaluator with it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// Values of names and of tables.
struct Environment {
    std::map<std::string, double> values;
    std::map<std::string, std::vector<double>> tables;
};

/// The tree in double, node by node, by the standard library's functions; sums from the first term to the last.
/// Booleans are 1 and 0. Throws core::PreconditionError for a name that has no value.
double reference(const formula::Node& tree, const Environment& environment);

}  // namespace farfield::evaluate
