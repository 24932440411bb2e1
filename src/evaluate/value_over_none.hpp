// The initial values of reductions.
#pragma once

#include <limits>

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// The value of a reduction whose range is empty, as operators.def has it; NaN for an operator that is not a reduction.
inline double value_over_none(formula::Op op) {
    switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        return empty;
#define CHOICE(name, ...) \
    case formula::Op::name: \
        break;
#define INTEGRAL(name, ...) \
    case formula::Op::name: \
        break;
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
        // clang-format on
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// The initial value of a choice, than which every body is better; NaN for other operators.
constexpr double worst_of(formula::Op op) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
#define CHOICE(name, spelling, better, best, worst, latex, meaning) \
    if (op == formula::Op::name) return worst;
#include <farfield/formula/operators.def>
    return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace farfield::evaluate
