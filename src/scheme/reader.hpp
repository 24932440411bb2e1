// One scheme from its settings.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/scheme/scheme.hpp>
#include <string>

namespace farfield::scheme {

/// Checks the settings of a scheme (what it extends already merged in) and turns them into pieces. Every problem is
/// added to `problems`; the result is worth using only if there were none. `owner` is the place of the scheme's name.
Scheme read_scheme(const std::string& name, const core::Entries& settings, const core::Place& owner,
                   core::Problems& problems);

/// The same without a recipe, with the names of params in its formulas in place of their numbers. Formulas that some
/// numbers would make too large are a problem, and those in which a param and a variable of a sum share a name.
Scheme read_with_names(const std::string& name, const core::Entries& settings, const core::Place& owner,
                       core::Problems& problems);

}  // namespace farfield::scheme
