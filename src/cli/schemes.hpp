// Built-in schemes by name.
#pragma once

#include <farfield/scheme/registry.hpp>
#include <string>

#include "cli/command.hpp"

namespace farfield::cli {

/// How an implementation rounds a scheme.
struct RecipeOptions {
    std::string recipe;
    std::string format;
};

/// The names of the built-in schemes, and of the number formats, for offer().
std::vector<std::string> offered_schemes();
std::vector<std::string> offered_formats();

void add_recipe(CLI::App& app, RecipeOptions& options);

/// Throws core::UserError with the nearest name if there is none.
const scheme::Scheme& builtin_scheme(const std::string& name);

/// The built-in schemes and those of the study `path`, if it is not empty. Throws core::UserError.
scheme::Registry schemes_with(const std::string& path);

/// Gives a scheme of the registry the recipe, if there is one. Throws core::UserError.
void apply_recipe(scheme::Registry& registry, const std::string& name, const RecipeOptions& options);

/// Prints the scheme in the form of a study, which can be copied and changed, and its cost.
void print_scheme(const scheme::Scheme& scheme);

/// scheme.NAME.params.w or w: the name of the param.
std::string param_of(const std::string& path, const std::string& scheme);

}  // namespace farfield::cli
