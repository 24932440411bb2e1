// The streams of random numbers by purpose, so that no two purposes share numbers (numerics/philox.hpp).
#pragma once

#include <cstdint>

namespace farfield::train {

inline constexpr std::uint32_t data_stream = 0x64617461;      ///< the rows on which a step trains
inline constexpr std::uint32_t held_out_stream = 0x68656c64;  ///< held-out rows of a process
inline constexpr std::uint32_t chain_stream = 0x63686e20;     ///< probabilities of a chain

}  // namespace farfield::train
