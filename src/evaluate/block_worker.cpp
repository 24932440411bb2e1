#include "evaluate/block_worker.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "evaluate/value_over_none.hpp"

namespace farfield::evaluate {

namespace {

using formula::Instruction;
using formula::Step;

template <class Bits>
constexpr Bits to_bits(bool condition) {
    return condition ? static_cast<Bits>(-1) : Bits{0};
}

bool is_boolean_reduction(const Instruction& row) {
    return formula::row(row.op).result == formula::Type::boolean;
}

// Value of a reduction over an empty range.
double empty_value(formula::Op op) {
    return op == formula::Op::product || op == formula::Op::for_all ? 1 : 0;
}

}  // namespace

template <class Real>
BlockWorker<Real>::BlockWorker(const BlockPlan<Real>& plan, const Inputs& inputs, const Scalar& prepared)
    : plan_(&plan),
      program_(plan.program),
      inputs_(&inputs),
      scalar_(prepared),
      memory_(static_cast<std::byte*>(::operator new[](plan.slots* slot_bytes, std::align_val_t{64}))),
      reals_(program_->real_registers) {
    bind();
    if (std::is_same_v<Real, double> && program_->type == formula::Type::real && !program_->rows.empty()) {
        const Instruction& last = program_->rows.back();
        ends_in_result_ = last.step == Step::operation && last.varying && last.dest == program_->result &&
                          !plan_->rows.back().to_boolean;
    }
}

template <class Real>
void BlockWorker<Real>::bind() {
    for (std::uint32_t i = 0; i < program_->real_registers; ++i) {
        const std::uint32_t slot = plan_->real_slots[i];
        reals_[i] = slot == no_slot ? &scalar_.real(i) : real_slot(slot);
    }
}

template <class Real>
void BlockWorker<Real>::run(std::size_t begin, std::size_t end, std::span<double> result) {
    for (std::size_t point = begin; point < end; point += block_lanes) {
        run_block(point, std::min(block_lanes, end - point), result.data() + point);
    }
}

template <class Real>
void BlockWorker<Real>::run_block(std::size_t point, std::size_t count, double* result) {
    lanes_ = (count + lane_multiple - 1) / lane_multiple * lane_multiple;
    active_ = nullptr;
    read_lanes(point, count);
    steps_.add((program_->rows.size() - program_->varying_begin) * lanes_);
    if constexpr (std::is_same_v<Real, double>) direct_ = count == lanes_ && ends_in_result_ ? result : nullptr;
    run_rows(program_->varying_begin, program_->rows.size());
    if (direct_ == nullptr) write_result(count, result);
}

template <class Real>
void BlockWorker<Real>::read_lanes(std::size_t point, std::size_t count) {
    const std::size_t first = program_->first_input() + program_->signature.uniform.size();
    for (std::size_t input = 0; input < inputs_->varying.size(); ++input) {
        Real* const slot = real_slot(plan_->real_slots[first + input]);
        reals_[first + input] = slot;
        if (const Range* range = std::get_if<Range>(&inputs_->varying[input])) {
            plan_->kernel->range(slot, range->from, range->step, static_cast<double>(point), lanes_);
            continue;
        }
        const double* const values = std::get<std::span<const double>>(inputs_->varying[input]).data() + point;
        if constexpr (std::is_same_v<Real, double>) {
            if (count == lanes_) {
                reals_[first + input] = values;
                continue;
            }
        }
        for (std::size_t i = 0; i < lanes_; ++i) slot[i] = static_cast<Real>(values[std::min(i, count - 1)]);
    }
}

template <class Real>
void BlockWorker<Real>::write_result(std::size_t count, double* result) {
    if (program_->type == formula::Type::boolean) {
        const std::uint32_t slot = plan_->boolean_slots[program_->result];
        const double uniform = slot == no_slot && scalar_.boolean(program_->result) ? 1 : 0;
        const Bits* const mask = slot == no_slot ? nullptr : mask_slot(slot);
        for (std::size_t i = 0; i < count; ++i) result[i] = mask == nullptr ? uniform : (mask[i] != 0 ? 1 : 0);
        return;
    }
    for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<double>(lane(program_->result, i));
}

template <class Real>
void BlockWorker<Real>::run_rows(std::size_t from, std::size_t to) {
    while (from < to) {
        const Instruction& row = program_->rows[from];
        if (!row.varying) {
            from = scalar_.step(from);
            continue;
        }
        switch (row.step) {
            case Step::operation: operate(from); break;
            case Step::lookup: look_up(row); break;
            case Step::loop_begin:
                has_varying_bounds(*program_, row) ? varying_loop(from) : uniform_loop(from);
                from = row.c;
                break;
            case Step::loop_end: break;
        }
        ++from;
    }
}

template <class Real>
const void* BlockWorker<Real>::real_operand(std::uint32_t index, bool spread, std::uint32_t scratch) {
    if (!spread) return reals_[index];
    std::fill_n(real_slot(scratch), lanes_, *reals_[index]);
    return real_slot(scratch);
}

template <class Real>
const void* BlockWorker<Real>::boolean_operand(std::uint32_t index, bool spread, std::uint32_t scratch) {
    if (!spread) return mask_slot(plan_->boolean_slots[index]);
    std::fill_n(mask_slot(scratch), lanes_, to_bits<Bits>(scalar_.boolean(index)));
    return mask_slot(scratch);
}

template <class Real>
void BlockWorker<Real>::operate(std::size_t index) {
    const Instruction& row = program_->rows[index];
    const BlockRow& how = plan_->rows[index];
    const std::uint32_t operands[] = {row.a, row.b, row.c};
    const void* pointers[3] = {nullptr, nullptr, nullptr};
    for (std::uint32_t i = 0; i < how.arity; ++i) {
        pointers[i] = how.from_boolean[i] ? boolean_operand(operands[i], how.spread[i], i)
                                          : real_operand(operands[i], how.spread[i], i);
    }
    void* out = how.to_boolean ? static_cast<void*>(mask_slot(plan_->boolean_slots[row.dest]))
                               : static_cast<void*>(real_slot(plan_->real_slots[row.dest]));
    if (index + 1 == program_->rows.size() && direct_ != nullptr) out = direct_;
    how.function(out, pointers[0], pointers[1], pointers[2], lanes_);
}

template <class Real>
void BlockWorker<Real>::look_up(const Instruction& row) {
    const std::span<const double> table = inputs_->tables[row.b];
    const Real* const at = reals_[row.a];
    Real* const out = real_slot(plan_->real_slots[row.dest]);
    const auto entries = static_cast<Real>(std::min(static_cast<double>(table.size()), largest_integer<Real>));
    for (std::size_t i = 0; i < lanes_; ++i) {
        const bool inside = at[i] >= 0 && at[i] < entries && std::trunc(at[i]) == at[i];
        out[i] =
            inside ? static_cast<Real>(table[static_cast<std::size_t>(at[i])]) : std::numeric_limits<Real>::quiet_NaN();
    }
}

// Lanes whose bounds are not integers (`valid` is unset) have no value; a condition over them is false.
template <class Real>
void BlockWorker<Real>::start_accumulator(const Instruction& head, const Bits* valid) {
    if (formula::row(head.op).choice) return start_choice(head, valid);
    const double empty = empty_value(head.op);
    if (is_boolean_reduction(head)) {
        Bits* const out = mask_slot(plan_->boolean_slots[head.dest]);
        for (std::size_t i = 0; i < lanes_; ++i) out[i] = valid[i] & to_bits<Bits>(empty != 0);
    } else {
        Real* const out = real_slot(plan_->real_slots[head.dest]);
        for (std::size_t i = 0; i < lanes_; ++i) {
            out[i] = valid[i] != 0 ? static_cast<Real>(empty) : std::numeric_limits<Real>::quiet_NaN();
        }
    }
}

template <class Real>
void BlockWorker<Real>::start_choice(const Instruction& head, const Bits* valid) {
    Real* const chosen = real_slot(plan_->real_slots[head.dest]);
    for (std::size_t i = 0; i < lanes_; ++i) {
        const bool has_any = valid[i] != 0 && *bound(head.a, i) <= *bound(head.b, i);
        chosen[i] = has_any ? lane(head.a, i) : std::numeric_limits<Real>::quiet_NaN();
    }
    std::fill_n(real_slot(plan_->real_slots[formula::best_of(head)]), lanes_, static_cast<Real>(worst_of(head.op)));
}

template <class Real>
void BlockWorker<Real>::uniform_loop(std::size_t begin) {
    const Instruction& head = program_->rows[begin];
    const std::optional<double> first = bound(head.a, 0);
    const std::optional<double> last = bound(head.b, 0);
    std::fill_n(mask_slot(0), lanes_, to_bits<Bits>(first && last));
    start_accumulator(head, mask_slot(0));
    if (!first || !last) return;
    const auto end = static_cast<std::int64_t>(*last);
    for (auto value = static_cast<std::int64_t>(*first); value <= end; ++value) {
        steps_.add((head.c - begin) * lanes_);
        scalar_.set_real(head.variable, static_cast<Real>(value));
        run_rows(begin + 1, head.c);
        fold(head.c, nullptr);
    }
}

template <class Real>
void BlockWorker<Real>::varying_loop(std::size_t begin) {
    const Instruction& head = program_->rows[begin];
    const LoopSlots& slots = plan_->loops[begin];
    const Bits* const outer = active_;
    const std::uint64_t rounds = count_rounds(head, slots);
    start_accumulator(head, mask_slot(slots.active));
    for (std::uint64_t round = 0; round < rounds; ++round) {
        steps_.add((head.c - begin) * lanes_);
        active_ = outer;
        if (!step_variable(head, slots, round)) break;
        active_ = mask_slot(slots.active);
        run_rows(begin + 1, head.c);
        fold(head.c, &slots);
    }
    active_ = outer;
}

// The number of iterations of each lane, and the largest of them. slots.active is set for the lanes that have valid
// bounds.
template <class Real>
std::uint64_t BlockWorker<Real>::count_rounds(const Instruction& head, const LoopSlots& slots) {
    Real* const counts = real_slot(slots.counts);
    Bits* const valid = mask_slot(slots.active);
    double most = 0;
    for (std::size_t i = 0; i < lanes_; ++i) {
        const std::optional<double> first = bound(head.a, i);
        const std::optional<double> last = bound(head.b, i);
        valid[i] = to_bits<Bits>(first && last);
        const bool runs = first && last && (active_ == nullptr || active_[i] != 0);
        counts[i] = runs ? static_cast<Real>(std::max(0.0, *last - *first + 1)) : 0;
        most = std::max(most, static_cast<double>(counts[i]));
    }
    return static_cast<std::uint64_t>(most);
}

// The loop variable of each lane that still runs. Other lanes keep their last value, so that they compute with valid
// values.
template <class Real>
bool BlockWorker<Real>::step_variable(const Instruction& head, const LoopSlots& slots, std::uint64_t round) {
    const Real* const counts = real_slot(slots.counts);
    Bits* const active = mask_slot(slots.active);
    Real* const variable = real_slot(plan_->real_slots[head.variable]);
    std::optional<Real> literal;
    if (head.a < program_->constants.size())
        literal = static_cast<Real>(program_->constants[head.a] + static_cast<double>(round));
    bool any = false;
    for (std::size_t i = 0; i < lanes_; ++i) {
        const bool runs = static_cast<Real>(round) < counts[i];
        active[i] = to_bits<Bits>(runs);
        if (!runs && round != 0) continue;
        variable[i] = literal ? *literal : lane(head.a, i) + static_cast<Real>(round);
        any = any || runs;
    }
    return any;
}

template <class Real>
void BlockWorker<Real>::fold(std::size_t index, const LoopSlots* masked) {
    const Instruction& row = program_->rows[index];
    const BlockRow& how = plan_->rows[index];
    const Bits* const running = masked == nullptr ? nullptr : mask_slot(masked->active);
    if (formula::row(row.op).choice) {
        take(row.dest, row.a, running);
        return take(formula::best_of(row), row.b, running);
    }
    if (is_boolean_reduction(row)) {
        Bits* const accumulator = mask_slot(plan_->boolean_slots[row.dest]);
        const void* const body = boolean_operand(row.a, how.spread[1], 1);
        Bits* const out = masked == nullptr ? accumulator : mask_slot(masked->folded);
        how.function(out, accumulator, body, nullptr, lanes_);
        if (masked == nullptr) return;
        for (std::size_t i = 0; i < lanes_; ++i) accumulator[i] = running[i] != 0 ? out[i] : accumulator[i];
        return;
    }
    Real* const accumulator = real_slot(plan_->real_slots[row.dest]);
    Real* const out = masked == nullptr ? accumulator : real_slot(masked->folded);
    how.function(out, accumulator, reals_[row.a], nullptr, lanes_);
    if (masked == nullptr) return;
    for (std::size_t i = 0; i < lanes_; ++i) accumulator[i] = running[i] != 0 ? out[i] : accumulator[i];
}

/// An accumulator is set to a register's value in the lanes that run; all lanes run if `running` is null.
template <class Real>
void BlockWorker<Real>::take(std::uint32_t accumulator, std::uint32_t from, const Bits* running) {
    Real* const out = real_slot(plan_->real_slots[accumulator]);
    for (std::size_t i = 0; i < lanes_; ++i)
        if (running == nullptr || running[i] != 0) out[i] = lane(from, i);
}

template class BlockWorker<double>;
template class BlockWorker<float>;

}  // namespace farfield::evaluate
