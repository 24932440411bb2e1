#include <farfield/scheme/positions.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace farfield::scheme {
namespace {

using formula::Node;
using formula::Op;

bool is_number(const Node& tree, const char* text) {
    return tree->kind == formula::Kind::number && tree->text == text;
}

bool is(const Node& tree, Op op) {
    return tree->kind == formula::Kind::operation && tree->op == op;
}

/// Replaces 1*x and x/1 by x: what remains of p*x at p = 1.
Node without_ones(const Node& tree) {
    if (tree->kind != formula::Kind::operation) return tree;
    std::vector<Node> children;
    for (const Node& child : tree->children) children.push_back(without_ones(child));
    if (tree->op == Op::multiply && is_number(children[0], "1")) return children[1];
    if ((tree->op == Op::multiply || tree->op == Op::divide) && is_number(children[1], "1")) return children[0];
    return formula::make(tree->op, std::move(children));
}

/// The two of them combined; nothing if one is missing.
std::optional<Node> both(Op op, std::vector<Node> before, const std::optional<Node>& a, const std::optional<Node>& b) {
    if (!a || !b) return std::nullopt;
    before.push_back(*a);
    before.push_back(*b);
    return formula::make(op, std::move(before));
}

std::optional<Node> of_product(const Node& tree, const Node& frequency) {
    const Node& a = tree->children[0];
    const Node& b = tree->children[1];
    if (const std::optional<Node> of_b = position_of(b, frequency))
        return is_number(*of_b, "1") ? a : formula::make(Op::multiply, {a, *of_b});
    if (const std::optional<Node> of_a = position_of(a, frequency))
        return is_number(*of_a, "1") ? b : formula::make(Op::multiply, {*of_a, b});
    return std::nullopt;
}

std::optional<Node> of_quotient(const Node& tree, const Node& frequency) {
    const Node& a = tree->children[0];
    const Node& b = tree->children[1];
    // (p - s)/x for the frequency 1/x.
    if (is(frequency, Op::divide) && formula::equal(frequency->children[1], b))
        return position_of(a, frequency->children[0]);
    const std::optional<Node> of_a = position_of(a, frequency);
    return of_a ? std::optional(formula::make(Op::divide, {*of_a, b})) : std::nullopt;
}

}  // namespace

Node frequency_of(const Node& angle) {
    return without_ones(formula::substitute(angle, {{"p", formula::make_number("1")}}));
}

std::optional<Node> position_of(const Node& angle, const Node& frequency) {
    if (formula::equal(angle, frequency)) return formula::make_number("1");
    if (is_number(frequency, "1")) return angle;
    if (is_number(angle, "0")) return angle;
    if (angle->kind != formula::Kind::operation) return std::nullopt;
    const std::vector<Node>& x = angle->children;
    switch (angle->op) {
        case Op::multiply: return of_product(angle, frequency);
        case Op::divide: return of_quotient(angle, frequency);
        case Op::add:
        case Op::subtract: return both(angle->op, {}, position_of(x[0], frequency), position_of(x[1], frequency));
        case Op::select: return both(angle->op, {x[0]}, position_of(x[1], frequency), position_of(x[2], frequency));
        case Op::negate: {
            const std::optional<Node> position = position_of(x[0], frequency);
            return position ? std::optional(formula::make(Op::negate, {*position})) : std::nullopt;
        }
        default: return std::nullopt;
    }
}

}  // namespace farfield::scheme
