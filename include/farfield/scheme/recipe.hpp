// How an implementation rounds the steps of a scheme: presets of src/scheme/recipes.toml.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

/// A preset: each step as a formula with rounding operators, `format(x)` already one of them.
struct Recipe {
    std::string name;
    std::string doc;
    formula::Node position;   ///< of p
    formula::Node frequency;  ///< of f and i, or of ratio and i
    formula::Node angle;      ///< of it, or of previous and frequency
    formula::Node value;      ///< of it, a cosine or a sine
    formula::Node scale;      ///< of it
    formula::Node bias;       ///< of it

    bool is_recurrent() const;  ///< whether an angle follows from that of the pair before
    bool uses_ratio() const;    ///< whether frequencies must be the powers of one number
};

/// Every preset's name, in the order of the file.
std::vector<std::string> recipe_names();

/// Whether a step of the recipe rounds to the model's format; false for an unknown name.
bool uses_format(std::string_view recipe);

/// What a recipe is for a format; throws core::UserError for an unknown name, or format, or a format that is missing.
Recipe find_recipe(std::string_view name, std::string_view format);

/// Why a recipe cannot be applied to a scheme.
struct Misfit {
    std::string found;   ///< "recipe 'hf' needs angles ..."
    std::string wanted;  ///< "a scheme with ..."
};
/// For each recipe what keeps it from the scheme, if anything: angles that are not proportional to positions, or
/// frequencies that are not powers of one number where the recipe needs this. Each is proved once for all recipes.
std::vector<std::optional<Misfit>> misfits(const Scheme& scheme, const std::vector<Recipe>& recipes);

/// The scheme as the recipe computes it; one that it has is replaced. A recipe without a format ignores `format`.
/// `place` is reported if the recipe cannot be applied: its angles must be proportional to positions, and for some
/// recipes frequencies be powers of one number.
Scheme with_recipe(const Scheme& scheme, std::string_view recipe, std::string_view format, const core::Place& place,
                   core::Problems& problems);

/// The scheme in exact numbers.
Scheme without_recipe(const Scheme& scheme);

/// Pairs that a recurrent recipe is written out for; later ones have no angle.
inline constexpr int most_recurrent_pairs = 64;

}  // namespace farfield::scheme
