// Why a formula has no value at a point, in the words of a message.
#pragma once

#include <map>
#include <string>

#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// The innermost part of the formula that is NaN or infinite at this point although its operands are finite, and what
/// its operator needs: "log(n - 3) has no value there: log(a) needs a > 0". A sentence about the usual causes if no
/// such part is found, as in a number system that rounds, or if the formula is long. The names must include every name
/// of the formula.
std::string why_no_value(const formula::Node& tree, const std::map<std::string, double>& point);

}  // namespace farfield::quantity
