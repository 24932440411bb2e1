// Names of a formula replaced by formulas.
#pragma once

#include <map>
#include <string>

#include "recheck/tree.hpp"

namespace farfield::recheck {

using Replacements = std::map<std::string, Node, std::less<>>;

/// Names put in until none is left that is replaced; bound variables stay. Throws Unprovable if the names go in
/// circles.
Node substituted(const Node& tree, const Replacements& names);

}  // namespace farfield::recheck
