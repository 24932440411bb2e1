// Built-in schemes by name.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <string>

#include "cli/command_line.hpp"

namespace farfield::cli {

/// Throws core::UserError with the nearest name if there is none.
const scheme::Scheme& builtin_scheme(const std::string& name);

/// The built-in schemes and those of the study `path`, if it is not empty. Throws core::UserError.
scheme::Registry schemes_with(const std::string& path);

/// Gives a scheme of the registry the recipe of the command line, if there is one. Throws core::UserError.
void apply_recipe(scheme::Registry& registry, const std::string& name, const CommandLine& line);

/// scheme.NAME.params.w or w: the name of the param.
std::string param_of(const std::string& path, const std::string& scheme);

}  // namespace farfield::cli
