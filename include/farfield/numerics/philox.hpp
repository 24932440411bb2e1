// Random numbers that are a function of where they are used: no state, so that order and threads do not matter.
#pragma once

#include <array>
#include <cstdint>

namespace farfield::numerics {

/// Philox 4x32-10: the bijection of a 128-bit counter under a 64-bit key whose values pass as random.
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011, section 3.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Numbers drawn one after the other for one purpose: the same (seed, stream, step, row) gives the same numbers on any
/// machine. A stream has 2^33 numbers of 64 bits.
class Random {
public:
    /// `stream` identifies the purpose (the order of the data, initial weights); `step` and `row` identify where the
    /// number is used.
    Random(std::uint64_t seed, std::uint32_t stream, std::uint32_t step = 0, std::uint32_t row = 0)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          counter_{0, row, step, stream} {}

    std::uint64_t bits();
    /// In [0, 1), a multiple of 2^-53.
    double uniform();
    /// In 0..count-1, each within a relative 2^-64 count of equally often; count > 0.
    std::uint64_t below(std::uint64_t count);
    /// Standard normal, by Box and Muller.
    double normal();
    /// From the gamma distribution with the shape (> 0) and scale 1, by Marsaglia and Tsang (2000).
    double gamma(double shape);

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    unsigned left_ = 0;  ///< halves of the block that were not handed out yet
};

}  // namespace farfield::numerics
