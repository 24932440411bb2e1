// Interprets a flat program row by row for each point. A device uses it if no compiler is installed.
#pragma once

#include <farfield/evaluate/cuda/language.cuh>
#include <farfield/formula/program.hpp>

#include "evaluate/shape.hpp"

namespace farfield::device {

/// The most registers of each type and the deepest nesting of loops that a thread supports.
constexpr std::uint32_t most_registers = 256;
constexpr std::uint32_t most_loops = 32;

struct InterpretedLane {
    const double* values;  ///< null for a range
    double from;
    double step;
};

struct InterpretedTable {
    const double* entries;
    double count;
};

/// A program and its inputs. All pointers point to device memory.
struct InterpretedTask {
    const formula::Instruction* rows;
    std::uint32_t begin;  ///< rows [begin, end) are varying
    std::uint32_t end;
    std::uint32_t real_registers;
    std::uint32_t boolean_registers;
    const double* constants;  ///< the values of the first real registers before they are rounded to Number
    std::uint32_t constant_count;
    const void* reals;            ///< [real_registers] of the arithmetic's Number; uniform registers have their values
    const unsigned char* truths;  ///< [boolean_registers]
    const InterpretedLane* lanes;
    std::uint32_t lane_count;
    std::uint32_t first_lane;  ///< the real register of the first varying input
    const InterpretedTable* tables;
    std::uint32_t result_register;
    bool result_is_boolean;
    unsigned long long first;
    unsigned long long points;
    double* result;
};

template <class Arithmetic>
class PointInterpreter {
public:
    using Number = typename Arithmetic::Number;
    using Instruction = formula::Instruction;

    FARFIELD_BOTH double run(const InterpretedTask& task, unsigned long long point) {
        for (std::uint32_t i = 0; i < task.real_registers; ++i) reals_[i] = static_cast<const Number*>(task.reals)[i];
        for (std::uint32_t i = 0; i < task.boolean_registers; ++i) truths_[i] = task.truths[i] != 0;
        for (std::uint32_t i = 0; i < task.lane_count; ++i) {
            const InterpretedLane& lane = task.lanes[i];
            const double value = lane.values != nullptr
                                     ? lane.values[point]
                                     : lane.from + lane.step * static_cast<double>(task.first + point);
            reals_[task.first_lane + i] = Arithmetic::input(value);
        }
        for (std::uint32_t at = task.begin; at < task.end;) at = step(task, at);
        if (task.result_is_boolean) return truths_[task.result_register] ? 1 : 0;
        return static_cast<double>(reals_[task.result_register]);
    }

private:
    // Returns the index of the next row to run. After the last row of a loop, this may be the first row of its body.
    FARFIELD_BOTH std::uint32_t step(const InterpretedTask& task, std::uint32_t at) {
        const Instruction& row = task.rows[at];
        switch (row.step) {
            case formula::Step::operation: apply(row); return at + 1;
            case formula::Step::lookup: {
                const InterpretedTable& table = task.tables[row.b];
                reals_[row.dest] = look_up<Arithmetic>(table.entries, table.count, static_cast<double>(reals_[row.a]));
                return at + 1;
            }
            case formula::Step::loop_begin: return begin_loop(task, row, at);
            case formula::Step::loop_end: return end_loop(row, at);
        }
        return at + 1;
    }

    // A loop's bound, NaN if it may have been rounded. A literal is exact, although its register may be rounded.
    FARFIELD_BOTH double bound(const InterpretedTask& task, std::uint32_t index) const {
        if (index < task.constant_count) return task.constants[index];
        const double value = static_cast<double>(reals_[index]);
        return is_integer(value, Arithmetic::largest_integer()) ? value : not_a_number();
    }

    FARFIELD_BOTH std::uint32_t begin_loop(const InterpretedTask& task, const Instruction& row, std::uint32_t at) {
        const double first = bound(task, row.a);
        const double last = bound(task, row.b);
        const bool whole = is_integer(first, 0x1p53) && is_integer(last, 0x1p53);
        const bool runs = whole && first <= last;
        accumulate(row, true, whole, runs);
        if (!runs) return row.c + 1;
        counters_[row.depth] = first;
        lasts_[row.depth] = last;
        reals_[row.variable] = Arithmetic::input(first);
        return at + 1;
    }

    FARFIELD_BOTH std::uint32_t end_loop(const Instruction& row, std::uint32_t at) {
        accumulate(row, false, true, true);
        counters_[row.depth] += 1;
        if (!(counters_[row.depth] <= lasts_[row.depth])) return at + 1;
        reals_[row.variable] = Arithmetic::input(counters_[row.depth]);
        return row.c + 1;
    }

    // Sets a loop's accumulator before the first iteration (undefined if the bounds are not integers), or updates it
    // after an iteration.
    FARFIELD_BOTH void accumulate(const Instruction& row, bool begins, bool whole, bool runs) {
        const double infinity = infinite();
        switch (row.op) {
// clang-format would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        if constexpr (formula::Type::type == formula::Type::boolean) \
            truths_[row.dest] = begins ? whole && (empty) != 0 : Arithmetic::name(truths_[row.dest], truths_[row.a]); \
        else if (begins) \
            reals_[row.dest] = whole ? static_cast<Number>(empty) : Arithmetic::undefined(); \
        else \
            reals_[row.dest] = Arithmetic::name(reals_[row.dest], reals_[row.a]); \
        break;
#define CHOICE(name, spelling, better, best, worst, latex, meaning) \
    case formula::Op::name: \
        choose(row, begins, runs, worst); \
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

    // The two accumulators of a choice: the integer, and next to it the best body so far (formula::best_of()).
    FARFIELD_BOTH void choose(const Instruction& row, bool begins, bool runs, double worst) {
        reals_[row.dest] = begins && !runs ? Arithmetic::undefined() : reals_[row.a];
        reals_[row.dest + 1] = begins ? static_cast<Number>(worst) : reals_[row.b];
    }

    FARFIELD_BOTH void apply(const Instruction& row) {
        switch (row.op) {
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: \
        store<evaluate::shape_of(formula::Type::result, arguments)>(row, &Arithmetic::name); \
        break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: break;
#define CHOICE(name, ...) \
    case formula::Op::name: break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
            // clang-format on
        }
    }

    template <evaluate::Shape shape, class Function>
    FARFIELD_BOTH void store(const Instruction& row, Function function) {
        using evaluate::Shape;
        if constexpr (shape == Shape::r_r) reals_[row.dest] = function(reals_[row.a]);
        if constexpr (shape == Shape::r_rr) reals_[row.dest] = function(reals_[row.a], reals_[row.b]);
        if constexpr (shape == Shape::r_rrr) reals_[row.dest] = function(reals_[row.a], reals_[row.b], reals_[row.c]);
        if constexpr (shape == Shape::r_brr) reals_[row.dest] = function(truths_[row.a], reals_[row.b], reals_[row.c]);
        if constexpr (shape == Shape::b_rr) truths_[row.dest] = function(reals_[row.a], reals_[row.b]);
        if constexpr (shape == Shape::b_b) truths_[row.dest] = function(truths_[row.a]);
        if constexpr (shape == Shape::b_bb) truths_[row.dest] = function(truths_[row.a], truths_[row.b]);
    }

    Number reals_[most_registers];
    bool truths_[most_registers];
    double counters_[most_loops];
    double lasts_[most_loops];
};

}  // namespace farfield::device
