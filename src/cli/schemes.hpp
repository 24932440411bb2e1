// Built-in schemes by name.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <string>

namespace farfield::cli {

/// Throws core::UserError with the nearest name if there is none.
const scheme::Scheme& builtin_scheme(const std::string& name);

/// The built-in schemes and those of the study `path`, if it is not empty. Throws core::UserError.
scheme::Registry schemes_with(const std::string& path);

}  // namespace farfield::cli
