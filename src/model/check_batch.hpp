// Checks the tokens that a model receives.
#pragma once

#include <string_view>

#include "model/state.hpp"

namespace farfield::model {

/// Throws core::PreconditionError, naming `function`.
void check_batch(std::string_view function, const Config& config, const Slices& slices, const Batch& batch);
void check_length(std::string_view function, const Slices& slices, std::size_t length);
void check_tokens(std::string_view function, const Config& config, const Slices& slices, std::span<const Token> tokens);

template <class State>
void check_batch(std::string_view function, const State& state, const Batch& batch) {
    check_batch(function, state.config, state.slices, batch);
}
template <class State>
void check_tokens(std::string_view function, const State& state, std::span<const Token> tokens) {
    check_tokens(function, state.config, state.slices, tokens);
}

std::size_t counted_targets(const Batch& batch);

}  // namespace farfield::model
