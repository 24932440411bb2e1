// The comparison operators on numbers.
#pragma once

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// `left op right` for one of the six comparison operators. Number: double or Rational.
template <class Number>
bool compares(Op op, const Number& left, const Number& right) {
    switch (op) {
        case Op::less: return left < right;
        case Op::less_equal: return left <= right;
        case Op::greater: return left > right;
        case Op::greater_equal: return left >= right;
        case Op::equals: return left == right;
        default: return left != right;
    }
}

/// The comparison with its sides exchanged: `a < b` is `b > a`.
constexpr Op mirrored(Op op) {
    switch (op) {
        case Op::less: return Op::greater;
        case Op::less_equal: return Op::greater_equal;
        case Op::greater: return Op::less;
        case Op::greater_equal: return Op::less_equal;
        default: return op;
    }
}

/// Whether it is one of the six.
constexpr bool is_comparison(Op op) {
    return op == Op::less || op == Op::less_equal || op == Op::greater || op == Op::greater_equal || op == Op::equals ||
           op == Op::differs;
}

inline bool is_comparison(const Node& node) {
    return node->kind == Kind::operation && is_comparison(node->op);
}

/// Whether the tree is `inf` or `-inf`.
inline bool is_infinite(const Node& tree) {
    const bool is_negative = tree->kind == Kind::operation && tree->op == Op::negate;
    const Node& number = is_negative ? tree->children[0] : tree;
    return number->kind == Kind::name && number->text == "inf";
}

}  // namespace farfield::formula
