// Small models and tokens for the tests of the model room.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/model/model.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <string>
#include <vector>

namespace farfield::model {

/// The built-in schemes and those of a text.
inline scheme::Registry registry_with(const std::string& toml) {
    scheme::Registry registry = scheme::Registry::builtin();
    core::Problems problems;
    const core::Entries entries = scheme::read_toml(toml, "test.toml");
    registry.add(*entries.find("scheme")->value.entries(), problems);
    return registry;
}

/// R 2, C 16, H 2, V 11, Ltr 12.
inline Config tiny() {
    Config config;
    config.layers = 2;
    config.heads = 2;
    config.width = 16;
    config.vocabulary = 11;
    config.train_length = 12;
    return config;
}

/// Tokens that a linear congruence gives.
inline std::vector<Token> some_tokens(std::size_t count, std::size_t vocabulary) {
    std::vector<Token> tokens;
    std::uint32_t state = 12345;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        tokens.push_back(static_cast<Token>((state >> 16) % vocabulary));
    }
    return tokens;
}

/// Moves every parameter off its start, so that no gradient is zero by symmetry.
template <class Real>
void stir(Model<Real>& model) {
    std::uint32_t state = 99;
    for (const Slice& slice : model.layout().slices()) {
        for (Real& value : model.parameters().subspan(slice.offset, slice.size())) {
            state = state * 1664525U + 1013904223U;
            value += static_cast<Real>(0.4 * (static_cast<double>(state >> 8) / 16777216.0 - 0.5));
        }
    }
}

}  // namespace farfield::model
