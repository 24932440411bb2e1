// What an engine computes from a configuration.
#pragma once

#include <farfield/doctor/doctor.hpp>
#include <farfield/scheme/context.hpp>
#include <farfield/scheme/scheme.hpp>
#include <optional>
#include <string>
#include <vector>

#include "doctor/engine.hpp"
#include "doctor/value.hpp"

namespace farfield::doctor {

/// A kind of layer with its scheme; the numbers of pairs are not computed yet.
struct Layer {
    Positions positions;
    scheme::Scheme scheme;
    scheme::Context context;  ///< length is the served one, and train_length that of formulas of Ltr
    double base = 0;          ///< of the unscaled frequencies; 0 without a rotation
    std::string type;         ///< of the scaling: "yarn"; "default" without one
    std::string scaling_path;
    double factor = 1;
};

struct Resolution {
    std::string model_type;
    bool is_known_model = false;
    std::vector<Layer> layers;
    std::vector<Finding> findings;
    std::vector<std::string> used;  ///< paths of the keys on which the answer depends
    std::string refusal;            ///< why the engine refuses the configuration; empty if it accepts it
    std::optional<long long> max_positions;
    bool max_positions_given = false;
    std::optional<long long> original;
    std::optional<long long> served;
    long long layer_count = 0;
    std::vector<std::string> layer_order;  ///< the type of each layer if they differ
};

/// The object that has the position keys: the root, or the text part of a model of several parts. `prefix` is its path.
const Value& text_part(const Document& document, std::string& prefix);

/// The keys of the number of positions; the first one that exists is used.
const std::vector<std::string>& length_keys();

Resolution resolve(const Document& document, const Engine& engine, const Options& options);

/// Larger distances and positions are not searched for negative sums and unsafe positions.
inline constexpr long long most_searched = 1LL << 20;

/// The numbers of every pair, the first negative sum of cosines, the safe length.
void compute_numbers(Layer& layer, const Options& options, std::optional<long long> served);

/// The positions of the layer under another scheme with the same attention factor; only the frequencies of pairs are
/// set.
Positions under_scheme(const Layer& layer, const scheme::Scheme& scheme);

}  // namespace farfield::doctor
