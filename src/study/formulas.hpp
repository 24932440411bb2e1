// The formulas of a study for its report.
#pragma once

#include <vector>

#include <farfield/core/record.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// The formulas of the schemes that the items use, and of the items' own keys, each once.
std::vector<core::FormulaRecord> formulas_of(const Study::Body& body, const std::vector<bool>& wanted);

/// The pieces of a scheme with their formulas: "bias", "rotate.angle", ... as written.
std::vector<std::pair<std::string, formula::Source>> sources_of(const scheme::Scheme& scheme);

}  // namespace farfield::study
