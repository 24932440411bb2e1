#include "compare/magnitude.hpp"

#include <utility>
#include <vector>

#include "scheme/folding.hpp"

namespace farfield::compare {

namespace {

using formula::Kind;
using formula::Node;
using formula::Op;

/// 2^44. Sixteen units of it are 1/16; more would allow any sine.
constexpr const char* most_magnitude = "17592186044416";

Node absolute(const Node& tree) {
    return formula::make(Op::absolute, {tree});
}

bool is_name(const Node& tree) {
    return tree->kind == Kind::name;
}

Node of_operation(const Node& tree, bool with_angles) {
    const auto magnitude = [&](std::size_t child) { return magnitude_of(tree->children[child], with_angles); };
    const std::vector<Node>& children = tree->children;
    switch (tree->op) {
        case Op::subtract:
            if (is_name(children[0]) && is_name(children[1])) return absolute(tree);
            [[fallthrough]];
        case Op::add: return formula::make(Op::add, {magnitude(0), magnitude(1)});
        case Op::multiply: return formula::make(Op::multiply, {magnitude(0), magnitude(1)});
        case Op::divide: return formula::make(Op::divide, {magnitude(0), absolute(children[1])});
        case Op::negate: return magnitude(0);
        case Op::sine:
        case Op::cosine: {
            Node one = formula::make_number("1");
            if (!with_angles) return one;
            const Node half = formula::make(Op::multiply, {formula::make_number("0.5"), absolute(children[0])});
            return formula::make(Op::minimum,
                                 {formula::make(Op::maximum, {one, half}), formula::make_number(most_magnitude)});
        }
        case Op::select: return formula::make(Op::select, {children[0], magnitude(1), magnitude(2)});
        default: return formula::is_rounding(tree->op) ? magnitude(0) : absolute(tree);
    }
}

}  // namespace

Node magnitude_of(const Node& tree, bool with_angles) {
    if (tree->kind == Kind::operation) return of_operation(tree, with_angles);
    if (tree->kind == Kind::reduction && tree->op == Op::sum) {
        return formula::make_reduction(Op::sum, tree->text, tree->children[0], tree->children[1],
                                       magnitude_of(tree->children[2], with_angles));
    }
    return absolute(tree);
}

Node powers_as_quotients(const Node& tree) {
    Node inner = scheme::rebuilt(tree, powers_as_quotients);
    if (inner->kind != Kind::operation || inner->op != Op::power) return inner;
    // -2*i/d is parsed as ((-2)*i)/d or -(2*i)/d: the sign belongs to its first factor.
    const auto without_sign = [](const auto& self, const Node& exponent) -> Node {
        if (exponent->kind != Kind::operation) return nullptr;
        if (exponent->op == Op::negate) return exponent->children[0];
        if (exponent->op != Op::multiply && exponent->op != Op::divide) return nullptr;
        const Node first = self(self, exponent->children[0]);
        return first ? formula::make(exponent->op, {first, exponent->children[1]}) : nullptr;
    };
    const Node positive = without_sign(without_sign, inner->children[1]);
    if (!positive) return inner;
    return formula::make(Op::divide,
                         {formula::make_number("1"), formula::make(Op::power, {inner->children[0], positive})});
}

}  // namespace farfield::compare
