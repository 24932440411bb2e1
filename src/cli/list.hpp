// Operators as lists show them.
#pragma once

#include <farfield/formula/tree.hpp>
#include <string>

namespace farfield::cli {

/// How the operator is written: "a + b", "sum(v, lo, hi, body)".
std::string shape_of(const formula::OperatorRow& row);

}  // namespace farfield::cli
