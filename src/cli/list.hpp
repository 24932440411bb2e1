// Operators in the form of lists.
#pragma once

#include <farfield/formula/tree.hpp>
#include <string>

namespace farfield::cli {

/// The syntax of the operator: "a + b", "sum(v, lo, hi, body)".
std::string shape_of(const formula::OperatorRow& row);

}  // namespace farfield::cli
