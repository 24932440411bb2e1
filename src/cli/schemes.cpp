#include "cli/schemes.hpp"

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/toml.hpp>

namespace farfield::cli {

const scheme::Scheme& builtin_scheme(const std::string& name) {
    const scheme::Registry& registry = scheme::Registry::builtin();
    if (const scheme::Scheme* scheme = registry.find(name)) return *scheme;
    throw core::UserError(
        {core::Diagnostic{{}, "unknown scheme '" + name + "'", "", core::known_here(name, registry.names())}});
}

scheme::Registry schemes_with(const std::string& path) {
    scheme::Registry registry = scheme::Registry::builtin();
    if (path.empty()) return registry;
    core::Problems problems;
    const core::Entries document = scheme::read_toml_file(path);
    if (const core::Entry* entry = document.find("scheme"); entry && entry->value.entries())
        registry.add(*entry->value.entries(), problems);
    problems.raise();
    return registry;
}

void add_recipe(CLI::App& app, RecipeOptions& options) {
    app.add_option("--recipe", options.recipe,
                   "how an implementation rounds the scheme: hf, all-bf16, fp32, fp64-tables, recurrence, powf");
    app.add_option("--format", options.format, "number format of the model, for --recipe");
}

void apply_recipe(scheme::Registry& registry, const std::string& name, const RecipeOptions& options) {
    const scheme::Scheme* scheme = registry.find(name);
    if (!scheme) return;  // reported where it is used
    core::Problems problems;
    if (options.recipe.empty() && !options.format.empty())
        problems.add({}, "--format without --recipe", "--recipe hf, or another that uses a format");
    const std::vector<std::string> known = scheme::recipe_names();
    const bool is_known = std::find(known.begin(), known.end(), options.recipe) != known.end();
    if (is_known && !options.format.empty() && !scheme::uses_format(options.recipe))
        problems.add({}, "--format is unused: no step of recipe '" + options.recipe + "' rounds to it",
                     "--recipe alone, or one that uses a format, such as hf");
    if (!options.recipe.empty())
        registry.put(scheme::with_recipe(*scheme, options.recipe, options.format, {}, problems));
    problems.raise();
}

std::string param_of(const std::string& path, const std::string& scheme) {
    const std::string before = "scheme." + scheme + ".params.";
    return path.starts_with(before) ? path.substr(before.size()) : path;
}

}  // namespace farfield::cli
