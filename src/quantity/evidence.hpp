// Formulas as facts of a result's evidence.
#pragma once

#include <string>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// The formula's text, names put in; empty where it is beyond what the language reads back.
std::string text_to_keep(const formula::Node& tree);

/// Adds the formula's text to the facts. One beyond what the language reads back is left out: the evidence then
/// lacks the fact, and whoever needs it says so.
void state(core::Evidence& evidence, std::string key, const formula::Node& tree);

}  // namespace farfield::quantity
