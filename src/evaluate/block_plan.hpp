// How a program runs on blocks of lanes: the slot of each register, and the function that each row calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <farfield/formula/program.hpp>

#include "evaluate/kernel/kernel.hpp"

namespace farfield::evaluate {

/// Lanes of a block. Blocks begin at multiples of this number for any number of processors, so that digits do not
/// depend on it.
constexpr std::size_t block_lanes = 256;

/// Data of a row in addition to its instruction. Uniform operands that a function needs as blocks are first copied to
/// all lanes.
struct BlockRow {
    BlockFunction function = nullptr;
    std::uint8_t arity = 0;
    bool to_boolean = false;
    bool from_boolean[3] = {false, false, false};
    bool spread[3] = {false, false, false};  ///< operand a, b, c into scratch slot 0, 1, 2
};

/// Additional slots of a loop whose bounds differ between lanes.
struct LoopSlots {
    std::uint32_t counts = 0;
    std::uint32_t active = 0;
    std::uint32_t folded = 0;
};

constexpr std::uint32_t no_slot = UINT32_MAX;

/// Computed once for a program and a kernel, and read by all threads. A slot is a block of reals or of conditions.
/// Slots 0 to 2 are scratch. Registers that are not in use at the same time share a slot.
template <class Real>
struct BlockPlan {
    BlockPlan(const formula::Program& planned, const Kernel<Real>& with);

    const formula::Program* program;
    const Kernel<Real>* kernel;
    std::vector<BlockRow> rows;                ///< [row of the program]
    std::vector<LoopSlots> loops;              ///< [row of the program], of loop_begin rows
    std::vector<std::uint32_t> real_slots;     ///< [real register]; no_slot if uniform
    std::vector<std::uint32_t> boolean_slots;  ///< [boolean register]
    std::uint32_t slots = 0;
};

/// Whether the bounds of the loop that a row begins or ends differ between lanes.
bool has_varying_bounds(const formula::Program& program, const formula::Instruction& loop_begin);

}  // namespace farfield::evaluate
