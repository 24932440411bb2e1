// Records formulas in a result's evidence.
#pragma once

#include <string>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// The formula's text with names substituted; empty if the text is too large for the parser.
std::string text_to_keep(const formula::Node& tree);

/// Adds the formula's text to the facts. A text that is too large for the parser is omitted; the evidence then lacks
/// the fact, and a reader that needs it reports this.
void state(core::Evidence& evidence, std::string key, const formula::Node& tree);

}  // namespace farfield::quantity
