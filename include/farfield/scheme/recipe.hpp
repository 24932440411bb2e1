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

/// A preset: each step as a formula with rounding operators, in which `format(x)` is already replaced by one of them.
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

/// The recipe with this name for a format. Throws core::UserError for an unknown name or format, or if the recipe needs
/// a format and none is given.
Recipe find_recipe(std::string_view name, std::string_view format);

/// Why a recipe cannot be applied to a scheme.
struct Misfit {
    std::string found;   ///< "recipe 'hf' needs angles ..."
    std::string wanted;  ///< "a scheme with ..."
};
/// For each recipe, the reason why it cannot be applied to the scheme, if there is one: the angles are not proportional
/// to positions, or the recipe needs frequencies that are powers of one number. Each property is proved once for all
/// recipes.
std::vector<std::optional<Misfit>> misfits(const Scheme& scheme, const std::vector<Recipe>& recipes);

/// The scheme as computed with the recipe. If the scheme already has a recipe, it is replaced. A recipe without a
/// format ignores `format`. If the recipe cannot be applied, the error is reported at `place`: angles must be
/// proportional to positions, and for some recipes frequencies must be powers of one number.
Scheme with_recipe(const Scheme& scheme, std::string_view recipe, std::string_view format, const core::Place& place,
                   core::Problems& problems);

/// The scheme in exact numbers.
Scheme without_recipe(const Scheme& scheme);

/// The number of pairs for which a recurrent recipe is written out; later pairs have no angle.
inline constexpr int most_recurrent_pairs = 64;

}  // namespace farfield::scheme
