// Reads a scheme from its settings.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>

namespace farfield::scheme {

/// Checks the settings of a scheme (with those of the schemes it extends already merged in) and converts them to
/// pieces. Adds every problem to `problems`; the result is valid only if there were none. `owner` is the place of the
/// scheme's name.
Scheme read_scheme(const std::string& name, const core::Entries& settings, const core::Place& owner,
                   core::Problems& problems);

/// The same without a recipe, and with the names of params in the formulas in place of their numbers. It is a problem
/// if some numbers would make a formula too large, or if a param and a variable of a sum share a name.
Scheme read_with_names(const std::string& name, const core::Entries& settings, const core::Place& owner,
                       core::Problems& problems);

}  // namespace farfield::scheme
