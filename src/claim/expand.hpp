// Expands the functions that only claims have into the formula language.
#pragma once

#include <string>
#include <string_view>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::claim {

/// rounds(x, 'p') as abs(x - p) <= half a unit of p's last digit, with p and the half unit as exact decimals; about(x,
/// y, relative) as abs(x - y) <= relative*abs(y). printed(x) is checked but not expanded, because it needs the results.
/// A text that is not a row, column or printed number is the name of a result: 'yarn-t'.
formula::Node expand(const formula::Node& tree, const formula::Source& source, core::Problems& problems);

/// A decimal text, perhaps signed, as a tree.
formula::Node decimal_tree(std::string_view text, formula::Span span = {});

/// Whether the text is a decimal number: digits, perhaps a sign, a point, an exponent.
bool is_decimal(std::string_view text);

/// Half a unit of the last digit of a decimal text: "-0.825" gives "5e-4", "1.5e3" gives "5e1", "12" gives "5e-1".
std::string half_unit(std::string_view decimal);

}  // namespace farfield::claim
