// What random numbers are drawn for, so that no two purposes share any (numerics/philox.hpp).
#pragma once

#include <cstdint>

namespace farfield::train {

inline constexpr std::uint32_t data_stream = 0x64617461;      ///< which rows a step trains on
inline constexpr std::uint32_t held_out_stream = 0x68656c64;  ///< held-out rows of a process
inline constexpr std::uint32_t chain_stream = 0x63686e20;     ///< probabilities of a chain

}  // namespace farfield::train
