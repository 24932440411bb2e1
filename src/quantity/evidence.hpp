// Formulas as facts of a result's evidence.
#pragma once

#include <string>

#include <farfield/core/table.hpp>
#include <farfield/formula/tree.hpp>

namespace farfield::quantity {

/// Adds the formula's text, names put in. A text beyond what the language reads back is left out: the evidence then
/// lacks the fact, and whoever needs it says so.
void state(core::Evidence& evidence, std::string key, const formula::Node& tree);

}  // namespace farfield::quantity
