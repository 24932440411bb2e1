// Operations that are told to the pulse of the thread (core/pulse.hpp): what is known of the progress of a Forward.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farfield/core/pulse.hpp>

namespace farfield::checkpoint {

/// To read and pack a weight takes as long as so many operations of a product: of SmolLM2, 3.9 ns and 13 ps.
inline constexpr std::uint64_t steps_a_weight = 256;

inline std::uint64_t product_steps(std::size_t rows, std::size_t outputs, std::size_t inputs) {
    return 2 * static_cast<std::uint64_t>(rows) * outputs * inputs;
}

/// Of a head's logits and sums over half of all pairs of positions.
inline std::uint64_t attention_steps(std::size_t length, std::size_t head_dim) {
    return product_steps(length, length, head_dim);
}

/// A piece of work that is done; one below a beat of the pulse is not told.
inline void tell_steps(std::uint64_t steps) {
    core::StepCounter().add(steps);
}

}  // namespace farfield::checkpoint
