// Runs a flat program for one point at a time in any arithmetic.
//
// An Arithmetic has the types Real and Boolean, a member function for every row of operators.def (the reductions' fold
// an accumulator and a body), and
//   Real literal(double value, const std::string& text), Real input(Element), Real integer(std::int64_t),
//   Real undefined(), Real infinite(double infinity), Boolean truth(bool), Boolean undecided(),
//   integer_of(const Real&): the integer as std::optional<double> or std::optional<std::int64_t>, as far as loops
//   count.
// An arithmetic of enclosures also has outward(const Real&), the interval of doubles around a value, with which
// integrals are enclosed. An arithmetic that lacks an operator does not compile.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <farfield/core/pulse.hpp>
#include <farfield/core/table.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/alike.hpp"
#include "evaluate/apply.hpp"
#include "evaluate/integral.hpp"
#include "evaluate/shape.hpp"
#include "evaluate/value_over_none.hpp"

namespace farfield::evaluate {

/// Integers below it differ from their neighbours as numbers of the type. Evaluators of such numbers count no further,
/// because a larger bound may have been rounded; those of enclosures count to numerics::largest_counted.
template <class Number>
constexpr double largest_integer = 2.0 / std::numeric_limits<Number>::epsilon();

/// The value as a loop bound or an index, if it is an integer below `limit` in magnitude.
inline std::optional<double> as_integer(double x, double limit = largest_integer<double>) {
    if (!(std::fabs(x) < limit) || std::trunc(x) != x) return std::nullopt;
    return x;
}

/// `Element` is the type of inputs and table entries: double, or an enclosure.
template <class Arithmetic, class Element>
class Interpreter {
public:
    using Real = typename Arithmetic::Real;
    using Boolean = typename Arithmetic::Boolean;
    using Tables = std::span<const std::span<const Element>>;

    Interpreter(const formula::Program& program, Arithmetic arithmetic, Tables tables)
        : program_(&program),
          arithmetic_(std::move(arithmetic)),
          tables_(tables),
          reals_(program.real_registers, arithmetic_.undefined()),
          booleans_(program.boolean_registers, Truthlike{arithmetic_.undecided()}) {
        for (std::size_t i = 0; i < program.constants.size(); ++i) {
            reals_[i] = arithmetic_.literal(program.constants[i], program.constant_texts[i]);
        }
    }

    /// Inputs are numbered as in the signature, uniform ones first.
    void set_input(std::size_t index, const Element& value) {
        reals_[program_->first_input() + index] = arithmetic_.input(value);
    }
    void set_real(std::size_t index, Real value) { reals_[index] = std::move(value); }
    void set_boolean(std::size_t index, Boolean value) { booleans_[index].value = value; }

    void run_uniform() {
        run(0, program_->varying_begin);
        memory_ = Memory{};
    }

    /// Values that loops compute without a varying input are stored at the first point, and reused until run_uniform().
    void run_varying() {
        if (memory_.state == Memory::State::empty) start_memory();
        memory_.next = 0;
        run(program_->varying_begin, program_->rows.size());
        if (memory_.state == Memory::State::recording) memory_.state = Memory::State::full;
    }

    /// Runs one row, or a whole loop; returns the row after it.
    std::size_t step(std::size_t index) {
        const formula::Instruction& row = program_->rows[index];
        switch (row.step) {
            case formula::Step::operation: apply(row); break;
            case formula::Step::lookup: look_up(row); break;
            case formula::Step::loop_begin:
                formula::row(row.op).integral ? integrate(index) : loop(index);
                return row.c + 1;
            case formula::Step::loop_end: break;
        }
        return index + 1;
    }

    /// For enclosures: the integral whose loop begins at this row.
    Integral integral(std::size_t begin) {
        const formula::Instruction& head = program_->rows[begin];
        const formula::Instruction& tail = program_->rows[head.c];
        const bool is_inner = within_integral_;
        if (!is_inner) operations_left_ = most_operations_of_integral;
        return evaluate::integral(
            arithmetic_.outward(reals_[head.a]), arithmetic_.outward(reals_[head.b]),
            [&](const numerics::Interval& x) {
                within_integral_ = true;
                count(head.c - begin);
                reals_[head.variable] = arithmetic_.input(core::Enclosure{x.lo, x.hi});
                run(begin + 1, head.c);
                within_integral_ = is_inner;
                return OnPart{arithmetic_.outward(reals_[tail.a]), arithmetic_.outward(reals_[tail.b])};
            },
            is_inner                          ? limits_within
            : has_integral(begin + 1, head.c) ? limits_around
                                              : SearchLimits{},
            &operations_left_);
    }

    /// Whether one of the rows from `begin` to before `end` is an integral.
    bool has_integral(std::size_t begin, std::size_t end) const {
        const auto first = program_->rows.begin();
        return std::any_of(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
                           [](const formula::Instruction& row) {
                               return row.step == formula::Step::loop_begin && formula::row(row.op).integral;
                           });
    }

    /// The values that run_varying() has stored, in the order in which rows read them; conditions are 1 and 0. Nothing
    /// if no row is stored, or too many are.
    struct RememberedValue {
        std::uint32_t row;
        Real value;
    };
    std::vector<RememberedValue> remembered() const {
        std::vector<RememberedValue> values;
        if (memory_.state != Memory::State::full) return values;
        for (std::size_t i = 0; i < memory_.order.size(); ++i) {
            const std::uint32_t at = memory_.order[i];
            const std::uint32_t row = memory_.rows[i];
            values.push_back({row, is_boolean(row) ? Real(memory_.booleans[at].value) : memory_.reals[at]});
        }
        return values;
    }

    const Real& real(std::size_t index) const { return reals_[index]; }
    const Boolean& boolean(std::size_t index) const { return booleans_[index].value; }
    const Real& real_result() const { return reals_[program_->result]; }
    const Boolean& boolean_result() const { return booleans_[program_->result].value; }
    const Arithmetic& arithmetic() const { return arithmetic_; }

private:
    // A struct around a boolean, which avoids the bits of vector<bool>.
    struct Truthlike {
        Boolean value;
    };

    // The stored values of rows in the order of execution, which is the same at every point.
    struct Memory {
        enum class State { empty, recording, full, off };
        State state = State::empty;
        std::vector<std::uint8_t> remembers;  ///< [row]
        std::vector<Real> reals;
        std::vector<Truthlike> booleans;
        std::vector<std::uint32_t> order;  ///< the index of each value among those of its type
        std::vector<std::uint32_t> rows;   ///< which row each is of
        std::size_t next = 0;
    };
    static constexpr std::size_t most_remembered = 65536;

    void run(std::size_t from, std::size_t to) {
        while (from < to) from = remembers(from) ? remembered_step(from) : step(from);
    }

    bool remembers(std::size_t row) const { return !memory_.remembers.empty() && memory_.remembers[row] != 0; }

    void start_memory() {
        std::vector<std::uint8_t> remembers = rows_alike_at_every_point(*program_);
        const bool some = std::find(remembers.begin(), remembers.end(), 1) != remembers.end();
        memory_.state = some ? Memory::State::recording : Memory::State::off;
        if (some) memory_.remembers = std::move(remembers);
    }

    std::size_t remembered_step(std::size_t index) {
        const formula::Instruction& row = program_->rows[index];
        if (memory_.state == Memory::State::recording) {
            const std::size_t after = step(index);
            remember(index);
            return after;
        }
        const std::uint32_t at = memory_.order[memory_.next++];
        if (is_boolean(index)) {
            booleans_[row.dest] = memory_.booleans[at];
        } else {
            reals_[row.dest] = memory_.reals[at];
        }
        return row.step == formula::Step::loop_begin ? row.c + 1 : index + 1;
    }

    bool is_boolean(std::size_t index) const {
        const formula::Instruction& row = program_->rows[index];
        return formula::row(row.op).result == formula::Type::boolean && row.step != formula::Step::lookup;
    }

    void remember(std::size_t index) {
        const formula::Instruction& row = program_->rows[index];
        const bool boolean = is_boolean(index);
        const std::size_t at = boolean ? memory_.booleans.size() : memory_.reals.size();
        if (boolean) {
            memory_.booleans.push_back(booleans_[row.dest]);
        } else {
            memory_.reals.push_back(reals_[row.dest]);
        }
        memory_.order.push_back(static_cast<std::uint32_t>(at));
        memory_.rows.push_back(static_cast<std::uint32_t>(index));
        // Too many values for the memory that they would take: nothing is stored.
        if (memory_.order.size() < most_remembered) return;
        memory_ = Memory{};
        memory_.state = Memory::State::off;
    }

    /// The operands and the result of a row.
    struct Operands {
        Interpreter& of;
        const formula::Instruction& row;

        std::uint32_t argument(int i) const { return i == 0 ? row.a : i == 1 ? row.b : row.c; }
        const Real& real(int i) const { return of.reals_[argument(i)]; }
        const Boolean& boolean(int i) const { return of.booleans_[argument(i)].value; }
        void set_real(Real value) { of.reals_[row.dest] = std::move(value); }
        void set_boolean(Boolean value) { of.booleans_[row.dest].value = value; }
    };

    void apply(const formula::Instruction& row) { evaluate::apply(arithmetic_, row.op, Operands{*this, row}); }

    void look_up(const formula::Instruction& row) {
        const std::span<const Element> table = tables_[row.b];
        const auto index = arithmetic_.integer_of(reals_[row.a]);
        const bool inside = index && *index >= 0 && static_cast<double>(*index) < static_cast<double>(table.size());
        reals_[row.dest] =
            inside ? arithmetic_.input(table[static_cast<std::size_t>(*index)]) : arithmetic_.undefined();
    }

    /// Rows of a loop that are run once.
    void count(std::size_t rows) {
        steps_.add(rows);
        if (within_integral_) operations_left_ -= std::min(rows, operations_left_);
    }

    /// A literal bound is exact, although its register may be rounded.
    auto bound(std::uint32_t index) const {
        if constexpr (std::is_floating_point_v<Real>) {
            if (index < program_->constants.size()) return as_integer(program_->constants[index]);
        }
        return arithmetic_.integer_of(reals_[index]);
    }

    void loop(std::size_t begin) {
        const formula::Instruction& head = program_->rows[begin];
        const formula::Instruction& tail = program_->rows[head.c];
        const auto first = bound(head.a);
        const auto last = bound(head.b);
        start(tail.op, head.dest, first && last);
        if (!first || !last || *first > *last) return;
        if (formula::row(tail.op).choice) start_choice(head);
        const auto end = static_cast<std::int64_t>(*last);
        // The integer after the last may not fit into 64 bits.
        for (auto value = static_cast<std::int64_t>(*first);; ++value) {
            count(head.c - begin);
            reals_[head.variable] = arithmetic_.integer(value);
            run(begin + 1, head.c);
            fold(tail);
            if (value == end) break;
        }
    }

    void integrate(std::size_t begin) {
        const std::uint32_t dest = program_->rows[begin].dest;
        if constexpr (requires(const Real& x) { arithmetic_.outward(x); }) {
            const numerics::Interval value = integral(begin).value;
            reals_[dest] = arithmetic_.input(core::Enclosure{value.lo, value.hi});
        } else if constexpr (std::is_arithmetic_v<Real>) {
            const std::vector<double> reals(reals_.begin(), reals_.end());
            std::vector<numerics::Truth> booleans;
            for (const Truthlike& each : booleans_) booleans.push_back(numerics::to_truth(each.value));
            reals_[dest] = arithmetic_.input(integral_of_numbers(*program_, begin, reals, booleans, tables_));
        } else {
            reals_[dest] = arithmetic_.undefined();
        }
    }

    void start(formula::Op op, std::size_t dest, bool has_bounds) {
        switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        if constexpr (formula::Type::type == formula::Type::boolean) { \
            booleans_[dest].value = has_bounds ? arithmetic_.truth(empty) : arithmetic_.undecided(); \
        } else { \
            reals_[dest] = has_bounds ? arithmetic_.integer(empty) : arithmetic_.undefined(); \
        } \
        break;
#define CHOICE(name, ...) \
    case formula::Op::name: \
        reals_[dest] = arithmetic_.undefined(); \
        break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
            // clang-format on
        }
    }

    /// If no body is better than the worst value, the first integer is chosen.
    void start_choice(const formula::Instruction& head) {
        reals_[head.dest] = reals_[head.a];
        reals_[formula::best_of(head)] = arithmetic_.infinite(worst_of(head.op));
    }

    void fold(const formula::Instruction& row) {
        switch (row.op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        if constexpr (formula::Type::type == formula::Type::boolean) { \
            booleans_[row.dest].value = arithmetic_.name(booleans_[row.dest].value, booleans_[row.a].value); \
        } else { \
            reals_[row.dest] = arithmetic_.name(reals_[row.dest], reals_[row.a]); \
        } \
        break;
#define CHOICE(name, ...) \
    case formula::Op::name: \
        reals_[row.dest] = reals_[row.a]; \
        reals_[formula::best_of(row)] = reals_[row.b]; \
        break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
            // clang-format on
        }
    }

    const formula::Program* program_;
    Arithmetic arithmetic_;
    Tables tables_;
    std::vector<Real> reals_;
    std::vector<Truthlike> booleans_;
    Memory memory_;
    core::StepCounter steps_;
    bool within_integral_ = false;
    std::size_t operations_left_ = 0;  ///< of the current integral, including the integrals inside it
};

}  // namespace farfield::evaluate
