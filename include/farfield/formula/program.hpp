// The flat program of a formula: what evaluators run. Rows are trivially copyable; the same bytes go to a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

enum class Step : std::uint8_t {
    operation,   ///< dest = op(a, b, c)
    loop_begin,  ///< dest = accumulator, a = register of the first integer, b = of the last, c = row of the loop_end
    loop_end,    ///< op folds register a (the body) into dest (the accumulator); c = row of the loop_begin
                 ///< of a choice: dest = a and best_of(row) = b, which the body's last rows compute
                 ///< of an integral: a is the body and b its fourth derivative, NaN where they are not shown to be one
    lookup,      ///< dest = table b at the index in register a; NaN outside the table or if no integer
};

/// One row. Registers of reals and of booleans are numbered separately; the operator's signature determines which of
/// them an operand means. A row is varying if it depends on a varying input; the others are run once for all points.
/// The loop variable of a loop_begin at row r is real register `variable`; this register is uniform if the bounds are
/// uniform.
struct Instruction {
    Step step;
    Op op;
    bool varying;
    std::uint8_t depth;  ///< how many loops enclose the row
    std::uint32_t dest;
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t c;
    std::uint32_t variable;
};

/// Of a choice (argmin, argmax), the second accumulator of its loop: the best body so far, next to the accumulator of
/// the integer. Only rows of the loop read it.
inline std::uint32_t best_of(const Instruction& row) {
    return row.dest + 1;
}

/// Which inputs a program has. Uniform ones have one value for all points, varying ones a value for each point.
struct Signature {
    std::vector<std::string> uniform;
    std::vector<std::string> varying;
    std::vector<std::string> tables;
};

/// Real registers: first the constants, then the uniform inputs, then the varying inputs, then the results of rows.
/// Rows [0, varying_begin) are uniform and come first (hoisted out of all loops). Rows of a loop body that do not
/// depend on the loop variable are placed before the loop. Each distinct subexpression is computed once per scope.
struct Program {
    Signature signature;
    std::vector<double> constants;
    std::vector<std::string> constant_texts;  ///< decimal text, or "pi", "e", "inf"
    std::vector<Instruction> rows;
    std::size_t varying_begin = 0;
    std::uint32_t real_registers = 0;
    std::uint32_t boolean_registers = 0;
    std::vector<std::uint8_t> real_varies;     ///< for each real register, whether it differs between points
    std::vector<std::uint8_t> boolean_varies;  ///< the same for booleans
    std::uint32_t result = 0;                  ///< register of the result, of the type below
    Type type = Type::real;

    std::size_t first_input() const { return constants.size(); }
};

/// Compiles a checked tree. Every free name must be an input (core::PreconditionError names the one that is not), no
/// call nodes may be left. pi, e, inf are constants. Registers other than accumulators are assigned once.
Program compile(const Node& tree, const Signature& signature);

/// A number that a loop's bound is in each number system.
struct LiteralBound {
    std::string text;
    double number;
};

/// The bound, if it is a literal, or an integer that a formula without names has exactly: 3 for 0.3/0.1.
std::optional<LiteralBound> literal_bound(const Node& bound);

/// Whether some row is an integral. Evaluators of blocks and devices do not support integrals.
bool has_integral(const Program& program);
/// The same of a tree.
bool has_integral(const Node& tree);

/// The program as readable lines, for tests and for people.
std::string disassemble(const Program& program);

}  // namespace farfield::formula
