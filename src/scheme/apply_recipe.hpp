// The settings of a scheme, with the formulas that a recipe computes.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>
#include <optional>

namespace farfield::scheme {

/// Takes the settings of a scheme that was read without problems, and replaces its formulas by those of the recipe. If
/// the recipe does not fit the scheme, returns nothing and reports a problem. `recipe` and `format` are the entries of
/// these keys; `format` is null if the key is missing.
std::optional<core::Entries> apply_recipe(const Scheme& scheme, const core::Entry& recipe, const core::Entry* format,
                                          core::Problems& problems);

}  // namespace farfield::scheme
