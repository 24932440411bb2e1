// Part of a program: what one of its registers needs, with the values of others given.
#pragma once

#include <cstdint>
#include <span>

#include <farfield/formula/program.hpp>

namespace farfield::evaluate {

/// The program that computes the real register `wanted` of `program`, or its result where that is `result`, as the
/// program does, where the real registers `given` (none within a loop) are varying inputs after its own. Rows that the
/// result does not need are left out.
formula::Program part_of(const formula::Program& program, std::uint32_t wanted, std::span<const std::uint32_t> given);
formula::Program rest_of(const formula::Program& program, std::span<const std::uint32_t> given);

}  // namespace farfield::evaluate
