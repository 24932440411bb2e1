// The places of a model's parameters, by role.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farfield/model/config.hpp>
#include <farfield/model/layout.hpp>
#include <farfield/scheme/scheme.hpp>
#include <span>
#include <vector>

namespace farfield::model {

/// A weight matrix [inputs, outputs] and its bias; `none` if there is no bias.
struct Linear {
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    std::size_t weight = 0;
    std::size_t bias = none;
};

struct NormSlices {
    std::size_t weight = 0;
    std::size_t bias = 0;
};

struct LayerSlices {
    NormSlices norm1;
    Linear attention_in;
    Linear attention_out;
    NormSlices norm2;
    Linear ffn_in;
    Linear ffn_out;
    std::size_t relative_keys = Linear::none;
    std::size_t relative_values = Linear::none;
};

struct Slices {
    std::size_t embedding = 0;
    std::size_t positions = Linear::none;
    std::size_t max_length = 0;
    std::vector<LayerSlices> layers;
    NormSlices norm;  ///< pre-norm only
    Linear head;      ///< tied: `weight` is the embedding
};

/// Adds all slices except the scheme's learned names to the layout.
Slices make_slices(const Config& config, const scheme::Scheme& scheme, Layout& layout);

/// See Model's constructor.
template <class Real>
void draw_parameters(const Config& config, const Layout& layout, std::uint64_t seed, std::span<Real> parameters);

}  // namespace farfield::model
