#include "evaluate/block_plan.hpp"

#include <algorithm>

#include "evaluate/shape.hpp"
#include "evaluate/traffic.hpp"

namespace farfield::evaluate {

namespace {

using formula::Instruction;
using formula::Program;
using formula::Step;

constexpr std::uint32_t scratch_slots = 3;

// Finds the row until which each varying register must be kept, by a walk over the rows with their enclosing loops.
class Lifetimes {
public:
    explicit Lifetimes(const Program& program) : program_(&program), made_(size(), 0), last_(size(), 0) {
        for (std::size_t row = program.varying_begin; row < program.rows.size(); ++row) visit(row);
        last_[number({program.type == formula::Type::boolean, program.result})] = program.rows.size();
    }

    std::size_t last(Register which) const { return last_[number(which)]; }
    bool varies(Register which) const {
        return which.boolean ? program_->boolean_varies[which.index] != 0 : program_->real_varies[which.index] != 0;
    }

private:
    std::size_t size() const { return std::size_t{program_->real_registers} + program_->boolean_registers; }
    std::size_t number(Register which) const {
        return which.index + (which.boolean ? std::size_t{program_->real_registers} : 0);
    }

    void visit(std::size_t row) {
        const Instruction& instruction = program_->rows[row];
        const Traffic traffic = traffic_of(instruction);
        for (const Register read : traffic.reads) use(read, row);
        if (instruction.step == Step::loop_begin) {
            // Each iteration counts from the first integer on.
            std::size_t& first = last_[number({false, instruction.a})];
            first = std::max<std::size_t>(first, instruction.c);
            open_.push_back(row);
        }
        for (const Register written : traffic.writes) {
            made_[number(written)] = row + 1;
            use(written, row);
        }
        if (instruction.step == Step::loop_end) open_.pop_back();
    }

    // A register that was written before a loop is read again in the next iteration, so it is kept until the loop ends.
    void use(Register which, std::size_t row) {
        std::size_t until = row;
        for (const std::size_t begin : open_) {
            if (begin < made_[number(which)]) continue;
            until = std::max<std::size_t>(until, program_->rows[begin].c);
            break;
        }
        last_[number(which)] = std::max(last_[number(which)], until);
    }

    const Program* program_;
    std::vector<std::size_t> made_;  ///< one more than the row that writes a register; 0 for inputs
    std::vector<std::size_t> last_;
    std::vector<std::size_t> open_;
};

// Assigns slots to registers, and reuses a slot after the last row that reads its register.
class Slots {
public:
    std::uint32_t take(std::size_t last) {
        std::uint32_t slot = count_;
        if (free_.empty()) {
            ++count_;
        } else {
            slot = free_.back();
            free_.pop_back();
        }
        taken_.push_back({slot, last});
        return slot;
    }

    /// Frees what was last used before `row`.
    void release_before(std::size_t row) {
        std::erase_if(taken_, [&](const Taken& taken) {
            if (taken.last < row) free_.push_back(taken.slot);
            return taken.last < row;
        });
    }

    std::uint32_t count() const { return count_; }

private:
    struct Taken {
        std::uint32_t slot;
        std::size_t last;
    };
    std::uint32_t count_ = scratch_slots;
    std::vector<std::uint32_t> free_;
    std::vector<Taken> taken_;
};

template <class Real>
class Planner {
public:
    explicit Planner(BlockPlan<Real>& plan) : plan_(&plan), program_(plan.program), lifetimes_(*plan.program) {}

    void run() {
        const auto inputs = static_cast<std::uint32_t>(program_->first_input() + program_->signature.uniform.size());
        for (std::uint32_t i = 0; i < program_->signature.varying.size(); ++i) place({false, inputs + i});
        for (std::size_t row = program_->varying_begin; row < program_->rows.size(); ++row) {
            if (program_->rows[row].varying) plan_row(row);
        }
        plan_->slots = slots_.count();
    }

private:
    void place(Register which) {
        if (!lifetimes_.varies(which)) return;
        auto& slots = which.boolean ? plan_->boolean_slots : plan_->real_slots;
        if (slots[which.index] == no_slot) slots[which.index] = slots_.take(lifetimes_.last(which));
    }

    void plan_row(std::size_t index) {
        const Instruction& row = program_->rows[index];
        // A row may overwrite operands that it is the last to read; the operands of a loop's first row are kept.
        slots_.release_before(index);
        if (row.step == Step::operation) release_operands(index);
        for (const Register written : traffic_of(row).writes) place(written);
        if (row.step == Step::loop_begin && has_varying_bounds(*program_, row)) {
            plan_->loops[index] = {slots_.take(row.c), slots_.take(row.c), slots_.take(row.c)};
        }
        if (row.step == Step::operation) choose(index);
        if (row.step == Step::loop_end && !formula::row(row.op).choice) choose_fold(index);
    }

    void release_operands(std::size_t index) { slots_.release_before(index + 1); }

    void choose(std::size_t index) {
        const Instruction& row = program_->rows[index];
        const Shape shape = shape_of_row(row.op);
        const std::vector<Register> reads = traffic_of(row).reads;
        BlockRow& chosen = plan_->rows[index];
        chosen.arity = static_cast<std::uint8_t>(reads.size());
        chosen.to_boolean = is_boolean(shape);
        Uniform uniform = Uniform::none;
        const bool of_reals = shape == Shape::r_rr || shape == Shape::b_rr;
        if (of_reals && !lifetimes_.varies(reads[0])) uniform = Uniform::first;
        if (of_reals && !lifetimes_.varies(reads[1])) uniform = Uniform::second;
        for (std::size_t i = 0; i < reads.size(); ++i) {
            chosen.from_boolean[i] = reads[i].boolean;
            chosen.spread[i] = !of_reals && !lifetimes_.varies(reads[i]);
        }
        chosen.function = plan_->kernel->at(row.op, uniform);
    }

    void choose_fold(std::size_t index) {
        const Instruction& row = program_->rows[index];
        const bool boolean = is_boolean(shape_of_row(row.op));
        const bool uniform = !lifetimes_.varies({boolean, row.a});
        plan_->rows[index].spread[1] = boolean && uniform;
        plan_->rows[index].function = plan_->kernel->at(row.op, uniform && !boolean ? Uniform::second : Uniform::none);
    }

    BlockPlan<Real>* plan_;
    const Program* program_;
    Lifetimes lifetimes_;
    Slots slots_;
};

}  // namespace

bool has_varying_bounds(const Program& program, const Instruction& loop_begin) {
    return program.real_varies[loop_begin.a] != 0 || program.real_varies[loop_begin.b] != 0;
}

template <class Real>
BlockPlan<Real>::BlockPlan(const Program& planned, const Kernel<Real>& with)
    : program(&planned),
      kernel(&with),
      rows(planned.rows.size()),
      loops(planned.rows.size()),
      real_slots(planned.real_registers, no_slot),
      boolean_slots(planned.boolean_registers, no_slot) {
    Planner<Real>(*this).run();
}

template struct BlockPlan<double>;
template struct BlockPlan<float>;

}  // namespace farfield::evaluate
