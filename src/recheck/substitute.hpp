// Replaces names of a formula by formulas.
#pragma once

#include <map>
#include <string>

#include "recheck/tree.hpp"

namespace farfield::recheck {

using Replacements = std::map<std::string, Node, std::less<>>;

/// Substitutes names until none is left that has a replacement; bound variables stay. Throws Unprovable if the names
/// form a cycle.
Node substituted(const Node& tree, const Replacements& names);

}  // namespace farfield::recheck
