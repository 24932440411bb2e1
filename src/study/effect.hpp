// Parts of a study that no result depends on.
#pragma once

#include <farfield/core/diagnostic.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Reports parts of a study's schemes that change nothing (scheme/effect.hpp). What is handed on of the catalogue as it
/// is, by Python for instance, is not looked at.
void check_schemes(const core::Entries& schemes, const scheme::Registry& known, core::Problems& problems);

/// Reports a study that computes nothing, what no quantity uses, what is declared twice under two names, and references
/// that may be read as a quantity or as a training.
void check_effect(const Study::Body& body, core::Problems& problems);

}  // namespace farfield::study
