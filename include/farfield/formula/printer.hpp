// Tree to text, LaTeX and MathML.
#pragma once

#include <string>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// The formula as text with the fewest parentheses; parse(print(t)) equals t.
std::string print(const Node& tree);

/// The formula for a LaTeX display: fractions, powers, sums; names of several letters upright, Greek names as letters.
std::string latex(const Node& tree);

/// The formula as presentation MathML (a whole `<math>` element), which browsers show without help.
std::string mathml(const Node& tree);

}  // namespace farfield::formula
