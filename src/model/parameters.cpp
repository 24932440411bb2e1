#include "model/parameters.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace farfield::model {
namespace {

std::size_t add(Layout& layout, std::string name, std::vector<std::size_t> shape, bool decays) {
    layout.add(std::move(name), std::move(shape), decays);
    return layout.slices().back().offset;
}

NormSlices add_norm(Layout& layout, const std::string& name, std::size_t width) {
    const std::size_t weight = add(layout, name + ".weight", {width}, false);
    return {weight, add(layout, name + ".bias", {width}, false)};
}

Linear add_linear(Layout& layout, const std::string& name, std::size_t inputs, std::size_t outputs) {
    const std::size_t weight = add(layout, name + ".weight", {inputs, outputs}, true);
    return {inputs, outputs, weight, add(layout, name + ".bias", {outputs}, false)};
}

LayerSlices add_layer(Layout& layout, const std::string& name, const Config& config, const scheme::Scheme& scheme) {
    LayerSlices slices;
    slices.norm1 = add_norm(layout, name + "norm1", config.width);
    slices.attention_in = add_linear(layout, name + "attention.in", config.width, 3 * config.width);
    slices.attention_out = add_linear(layout, name + "attention.out", config.width, config.width);
    slices.norm2 = add_norm(layout, name + "norm2", config.width);
    slices.ffn_in = add_linear(layout, name + "ffn.in", config.width, config.ffn_width());
    slices.ffn_out = add_linear(layout, name + "ffn.out", config.ffn_width(), config.width);
    if (!scheme.relative) return slices;
    const auto clip = static_cast<std::size_t>(scheme.relative->clip);
    const std::size_t classes = scheme.causal ? clip + 1 : 2 * clip + 1;
    if (scheme.relative->keys) {
        slices.relative_keys = add(layout, name + "relative.keys", {classes, config.head_dim()}, false);
    }
    if (scheme.relative->values) {
        slices.relative_values = add(layout, name + "relative.values", {classes, config.head_dim()}, false);
    }
    return slices;
}

/// SplitMix64 (Steele, Lea, Flood 2014), which gives the same numbers on every platform.
class Generator64 {
public:
    explicit Generator64(std::uint64_t state) : state_(state) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    /// In (0, 1).
    double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
    /// Box and Muller 1958.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(uniform()));
        return radius * std::cos(2 * std::numbers::pi * uniform());
    }

private:
    std::uint64_t state_;
};

bool ends_with(const std::string& name, std::string_view end) {
    return name.size() >= end.size() && std::string_view(name).substr(name.size() - end.size()) == end;
}

/// 0: a constant.
double deviation(const Slice& slice, const Config& config) {
    if (slice.name == "embed.weight") return config.tied ? 0.5 / std::sqrt(static_cast<double>(config.width)) : 0.5;
    if (slice.name == "position.weight") return 0.25;
    if (ends_with(slice.name, "relative.keys") || ends_with(slice.name, "relative.values")) {
        return 0.5 / std::sqrt(static_cast<double>(config.head_dim()));
    }
    if (!slice.decays) return 0;
    const double plain = 0.5 / std::sqrt(static_cast<double>(slice.shape[0]));
    const bool ends_branch = ends_with(slice.name, "attention.out.weight") || ends_with(slice.name, "ffn.out.weight");
    return ends_branch ? plain / std::sqrt(2.0 * static_cast<double>(config.layers)) : plain;
}

}  // namespace

Slices make_slices(const Config& config, const scheme::Scheme& scheme, Layout& layout) {
    Slices slices;
    slices.embedding = add(layout, "embed.weight", {config.vocabulary, config.width}, false);
    if (scheme.embed && scheme.embed->learned) {
        slices.max_length = static_cast<std::size_t>(scheme.embed->max_length);
        slices.positions = add(layout, "position.weight", {slices.max_length, config.width}, false);
    }
    for (std::size_t layer = 0; layer < config.layers; ++layer) {
        slices.layers.push_back(add_layer(layout, "layers." + std::to_string(layer) + ".", config, scheme));
    }
    if (config.norm == Norm::pre) slices.norm = add_norm(layout, "norm", config.width);
    slices.head = {config.width, config.vocabulary, slices.embedding, Linear::none};
    if (!config.tied) slices.head.weight = add(layout, "head.weight", {config.width, config.vocabulary}, true);
    return slices;
}

template <class Real>
void draw_parameters(const Config& config, const Layout& layout, std::uint64_t seed, std::span<Real> parameters) {
    std::uint64_t number = 0;
    for (const Slice& slice : layout.slices()) {
        Generator64 mixed(seed);
        Generator64 generator(mixed.next() ^ (++number * 0xd1342543de82ef95ULL));
        const double sigma = deviation(slice, config);
        const bool is_one = ends_with(slice.name, "norm1.weight") || ends_with(slice.name, "norm2.weight") ||
                            slice.name == "norm.weight";
        for (Real& value : parameters.subspan(slice.offset, slice.size())) {
            value = sigma > 0 ? static_cast<Real>(sigma * generator.normal()) : Real(is_one ? 1 : 0);
        }
    }
}

template void draw_parameters<float>(const Config&, const Layout&, std::uint64_t, std::span<float>);
template void draw_parameters<double>(const Config&, const Layout&, std::uint64_t, std::span<double>);

}  // namespace farfield::model
