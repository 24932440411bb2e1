// Finds parts of a study on which no result depends.
#pragma once

#include <string>
#include <string_view>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Reports parts of a study's schemes that have no effect (scheme/effect.hpp). Schemes that are passed on unchanged
/// from the catalogue, for example by Python, are not checked.
void check_schemes(const core::Entries& schemes, const scheme::Registry& known, core::Problems& problems);

/// The settings of an item under the heading ("quantity", "train", "checkpoint" or "figure") on which its result
/// depends, as a text: sorted, without texts for readers and values that keys have by default.
std::string effective_settings(std::string_view heading, core::Entries settings);

/// Reports items under the heading that repeat the settings of another under another name.
void check_repeated(const core::Entries& document, const char* heading, core::Problems& problems);

/// Reports a study that computes nothing, unused declarations, repeated trainings, checkpoints and figures, and
/// references that could be a quantity or a training.
void check_effect(const Study::Body& body, core::Problems& problems);

}  // namespace farfield::study
