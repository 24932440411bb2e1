// A scheme's settings as a recipe computes them.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>
#include <optional>

namespace farfield::scheme {

/// The settings of a scheme that was read without problems, its formulas changed to those of the recipe; nothing, and a
/// problem, where it does not fit. `recipe` and `format` are the entries of these keys, the second null without one.
std::optional<core::Entries> apply_recipe(const Scheme& scheme, const core::Entry& recipe, const core::Entry* format,
                                          core::Problems& problems);

}  // namespace farfield::scheme
