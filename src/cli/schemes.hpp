// Built-in schemes by name.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <string>

namespace farfield::cli {

/// Throws core::UserError with the nearest name if there is none.
const scheme::Scheme& builtin_scheme(const std::string& name);

/// The built-in schemes and those of the study `path`, if it is not empty. Throws core::UserError.
scheme::Registry schemes_with(const std::string& path);

/// scheme.NAME.params.w or w: the name of the param.
std::string param_of(const std::string& path, const std::string& scheme);

}  // namespace farfield::cli
