// Operations that a Forward reports to the pulse of its thread (core/pulse.hpp), from which its progress is computed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <farfield/core/pulse.hpp>

namespace farfield::checkpoint {

/// Reading and packing a weight takes as long as this many operations of a product (measured with SmolLM2: 3.9 ns for a
/// weight and 13 ps for an operation). Only the displayed progress depends on it.
inline constexpr std::uint64_t steps_a_weight = 256;

inline std::uint64_t product_steps(std::size_t rows, std::size_t outputs, std::size_t inputs) {
    return 2 * static_cast<std::uint64_t>(rows) * outputs * inputs;
}

/// The logits of a head and its sums over values, for half of all pairs of positions.
inline std::uint64_t attention_steps(std::size_t length, std::size_t head_dim) {
    return product_steps(length, length, head_dim);
}

/// Reports a finished piece of work. A piece that is too small for a beat of the pulse is not reported.
inline void tell_steps(std::uint64_t steps) {
    core::StepCounter().add(steps);
}

}  // namespace farfield::checkpoint
