// Recognizes formulas that are sums of waves with exponential envelopes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// An angle as a fraction of a turn in units of 2^-128; sums and integer multiples wrap around like angles.
__extension__ typedef unsigned __int128 Turns;  // NOLINT(modernize-use-using): __extension__ takes no using

/// amplitude exp(rate n) cos(frequency n + phase).
struct Wave {
    double amplitude = 0;
    double rate = 0;
    Turns frequency = 0;
    Turns phase = 0;
};

/// The real registers outside of loops that may be sums of waves in the varying input number `input`, as far as the
/// rows show: the result, or registers that rows of another form read. Most programs have none.
std::vector<std::uint32_t> find_wave_registers(const formula::Program& program, std::size_t input);

/// The waves whose sum a program's real result is, in the varying input number `input`, the only one it may depend on;
/// each number rounded once. Nothing if it has another form, or if the search would take more than `budget` operations.
std::optional<std::vector<Wave>> find_waves(const formula::Program& program, const Inputs& inputs, std::size_t input,
                                            std::size_t budget);

}  // namespace farfield::evaluate
