// Extracts the part of a program that computes one of its registers, with the values of other registers given.
#pragma once

#include <cstdint>
#include <span>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// The program that computes the real register `wanted` of `program`, or its result if `wanted` is `result`, in the
/// same way as `program`. The real registers `given` (none within a loop) become varying inputs after its own. Rows
/// that the result does not need are left out.
formula::Program part_of(const formula::Program& program, std::uint32_t wanted, std::span<const std::uint32_t> given);
formula::Program rest_of(const formula::Program& program, std::span<const std::uint32_t> given);

}  // namespace farfield::evaluate
