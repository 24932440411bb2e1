// Finds parts of a study on which no result depends.
#pragma once

#include <farfield/core/diagnostic.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Reports parts of a study's schemes that have no effect (scheme/effect.hpp). Schemes that are passed on unchanged
/// from the catalogue, for example by Python, are not checked.
void check_schemes(const core::Entries& schemes, const scheme::Registry& known, core::Problems& problems);

/// Reports a study that computes nothing, unused declarations, declarations that are repeated under another name, and
/// references that could be a quantity or a training.
void check_effect(const Study::Body& body, core::Problems& problems);

}  // namespace farfield::study
