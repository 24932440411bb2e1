// Applies one operator of a program's row or of a tape's entry, in any arithmetic.
#pragma once

#include <type_traits>

#include <farfield/formula/tree.hpp>

#include "evaluate/shape.hpp"

namespace farfield::evaluate {

/// Computes `op` by the arithmetic. `at` has real(i) and boolean(i), the i-th argument, and set_real(), set_boolean().
template <class Arithmetic, class Operands>
void apply(const Arithmetic& arithmetic, formula::Op op, Operands at) {
    const auto store = [&at]<Shape shape>(std::integral_constant<Shape, shape>, auto function) {
        if constexpr (shape == Shape::r_r) at.set_real(function(at.real(0)));
        if constexpr (shape == Shape::r_rr) at.set_real(function(at.real(0), at.real(1)));
        if constexpr (shape == Shape::r_rrr) at.set_real(function(at.real(0), at.real(1), at.real(2)));
        if constexpr (shape == Shape::r_brr) at.set_real(function(at.boolean(0), at.real(1), at.real(2)));
        if constexpr (shape == Shape::b_rr) at.set_boolean(function(at.real(0), at.real(1)));
        if constexpr (shape == Shape::b_b) at.set_boolean(function(at.boolean(0)));
        if constexpr (shape == Shape::b_bb) at.set_boolean(function(at.boolean(0), at.boolean(1)));
    };
    switch (op) {
// The formatter would join the two macros.
// clang-format off
#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    case formula::Op::name: \
        store(std::integral_constant<Shape, shape_of(formula::Type::result, arguments)>(), \
              [&arithmetic](const auto&... values) { return arithmetic.name(values...); }); \
        break;
#define REDUCTION(name, spelling, type, empty, latex, meaning) \
    case formula::Op::name: \
        break;
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
}

}  // namespace farfield::evaluate
