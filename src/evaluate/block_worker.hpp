// Runs a planned program over blocks of lanes; one worker for each thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>

#include "evaluate/block_plan.hpp"
#include "evaluate/interpreter.hpp"
#include "evaluate/standard_arithmetic.hpp"

namespace farfield::evaluate {

template <class Real>
class BlockWorker {
public:
    /// Uniform rows run point by point.
    using Scalar = Interpreter<StandardArithmetic<Real>, double>;

    /// The uniform rows of `prepared` have been run; it is copied.
    BlockWorker(const BlockPlan<Real>& plan, const Inputs& inputs, const Scalar& prepared);

    /// Computes points [begin, end) of the inputs into result[begin, end); `begin` is a multiple of block_lanes.
    void run(std::size_t begin, std::size_t end, std::span<double> result);

private:
    using Bits = Mask<Real>;

    void bind();
    void run_block(std::size_t point, std::size_t count, double* result);
    void read_lanes(std::size_t point, std::size_t count);
    void write_result(std::size_t count, double* result);

    void run_rows(std::size_t from, std::size_t to);
    void operate(std::size_t index);
    void look_up(const formula::Instruction& row);
    void uniform_loop(std::size_t begin);
    void varying_loop(std::size_t begin);
    std::uint64_t count_rounds(const formula::Instruction& head, const LoopSlots& slots);
    void start_accumulator(const formula::Instruction& head, const Bits* valid);
    void start_choice(const formula::Instruction& head, const Bits* valid);
    void take(std::uint32_t accumulator, std::uint32_t from, const Bits* running);
    bool step_variable(const formula::Instruction& head, const LoopSlots& slots, std::uint64_t round);
    void fold(std::size_t index, const LoopSlots* masked);

    const void* real_operand(std::uint32_t index, bool spread, std::uint32_t scratch);
    const void* boolean_operand(std::uint32_t index, bool spread, std::uint32_t scratch);
    Real* real_slot(std::uint32_t slot) { return reinterpret_cast<Real*>(memory_.get() + slot * slot_bytes); }
    Bits* mask_slot(std::uint32_t slot) { return reinterpret_cast<Bits*>(memory_.get() + slot * slot_bytes); }
    Real lane(std::uint32_t index, std::size_t i) const {
        return plan_->real_slots[index] == no_slot ? *reals_[index] : reals_[index][i];
    }
    /// A loop's bound, if it is an integer. A literal is exact, although its register may be rounded.
    std::optional<double> bound(std::uint32_t index, std::size_t i) const {
        if (index < program_->constants.size()) return as_integer(program_->constants[index]);
        return as_integer(static_cast<double>(lane(index, i)), largest_integer<Real>);
    }

    static constexpr std::size_t slot_bytes = block_lanes * sizeof(Real);
    struct Release {
        void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
    };

    const BlockPlan<Real>* plan_;
    const formula::Program* program_;
    const Inputs* inputs_;
    Scalar scalar_;
    std::unique_ptr<std::byte[], Release> memory_;
    std::vector<const Real*> reals_;  ///< [real register]: its slot, the caller's memory, or the one scalar
    core::StepCounter steps_;
    const Bits* active_ = nullptr;  ///< lanes of the enclosing loop that are still running; null for all
    std::size_t lanes_ = 0;         ///< of this block, rounded up
    bool ends_in_result_ = false;   ///< the last row computes the result, as doubles
    double* direct_ = nullptr;      ///< where the last row may write the result directly
};

}  // namespace farfield::evaluate
