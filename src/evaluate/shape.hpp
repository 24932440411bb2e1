// The signature of an operator as a compile-time value, read from its row in operators.def.
#pragma once

#include <cstddef>
#include <string_view>

#include <farfield/formula/tree.hpp>

namespace farfield::evaluate {

/// Result and arguments: r real, b boolean.
enum class Shape { r_r, r_rr, r_rrr, r_brr, b_rr, b_b, b_bb };

constexpr Shape shape_of(formula::Type result, std::string_view arguments) {
    if (result == formula::Type::boolean) {
        if (arguments == "rr") return Shape::b_rr;
        if (arguments == "bb") return Shape::b_bb;
        if (arguments == "b") return Shape::b_b;
    } else {
        if (arguments == "r") return Shape::r_r;
        if (arguments == "rr") return Shape::r_rr;
        if (arguments == "rrr") return Shape::r_rrr;
        if (arguments == "brr") return Shape::r_brr;
    }
    throw "an operator of a new shape: add it to Shape and to every switch over it";
}

constexpr bool is_boolean(Shape shape) {
    return shape == Shape::b_rr || shape == Shape::b_b || shape == Shape::b_bb;
}

/// How many arguments an operator of this shape takes.
constexpr std::size_t arity(Shape shape) {
    switch (shape) {
        case Shape::r_r:
        case Shape::b_b: return 1;
        case Shape::r_rr:
        case Shape::b_rr:
        case Shape::b_bb: return 2;
        case Shape::r_rrr:
        case Shape::r_brr: return 3;
    }
    return 0;
}

/// The shape of an operator's operation, or of the fold of a reduction.
inline Shape shape_of_row(formula::Op op) {
    const formula::OperatorRow& row = formula::row(op);
    if (row.reduction) return row.result == formula::Type::boolean ? Shape::b_bb : Shape::r_rr;
    return shape_of(row.result, row.arguments);
}

}  // namespace farfield::evaluate
