#include "claim/definition.hpp"

#include <algorithm>
#include <string>

#include <farfield/formula/parser.hpp>

#include "claim/examine.hpp"
#include "claim/find.hpp"
#include "formula/comparison.hpp"

namespace farfield::claim {

using formula::Kind;
using formula::Node;
using formula::Op;
using Results = std::vector<const core::Result*>;

namespace {

bool is_operation(const Node& node, Op op) {
    return node->kind == Kind::operation && node->op == op;
}

/// Whether the node consists of typed numbers, the bound variables and the four operations.
bool is_typed(const Node& node, const std::vector<std::string>& bound = {}) {
    if (node->kind == Kind::number) return true;
    if (node->kind == Kind::name) return std::find(bound.begin(), bound.end(), node->text) != bound.end();
    if (node->kind != Kind::operation) return false;
    constexpr Op four[] = {Op::negate, Op::add, Op::subtract, Op::multiply, Op::divide, Op::modulo};
    return std::find(std::begin(four), std::end(four), node->op) != std::end(four) &&
           std::all_of(node->children.begin(), node->children.end(),
                       [&](const Node& child) { return is_typed(child, bound); });
}

bool is_junction(const Node& node) {
    return is_operation(node, Op::logical_and) || is_operation(node, Op::logical_or) ||
           is_operation(node, Op::logical_not);
}

/// The condition with all comparisons unknown except those of typed numbers and loop variables.
class TypedPart {
public:
    explicit TypedPart(const Node& condition) : tree_(of(condition)) {}

    /// Whether it decides the condition.
    bool decides() const { return has_any_ && examine(tree_, {}, Explaining::truth).truth != evaluate::Truth::unknown; }

private:
    Node of(const Node& node) {
        const auto is_side_typed = [this](const Node& side) { return is_typed(side, bound_); };
        if (formula::is_comparison(node) && std::all_of(node->children.begin(), node->children.end(), is_side_typed)) {
            has_any_ = true;
            return node;
        }
        const bool is_loop = node->kind == Kind::reduction && (node->op == Op::for_all || node->op == Op::for_some);
        // Without results, the value of a name is unknown. No loop variable has this one.
        if (!is_loop && !is_junction(node))
            return formula::make(Op::equals, {formula::make_name("a quantity"), formula::make_number("0")});
        std::vector<Node> children = node->children;
        if (is_loop) bound_.push_back(node->text);
        for (std::size_t at = is_loop ? children.size() - 1 : 0; at < children.size(); ++at)
            children[at] = of(children[at]);
        if (is_loop) bound_.pop_back();
        return with_children(node, std::move(children));
    }

    std::vector<std::string> bound_;
    bool has_any_ = false;
    Node tree_;
};

/// The parsed formula of a setting of a quantity; null if there is none.
Node setting(const core::Result& result, const std::string& key) {
    for (const auto& [name, text] : result.evidence.facts)
        if (name == "setting." + key) return formula::parse(text);
    return nullptr;
}

/// Whether the node is `holds` of an identity whose two sides are one expression.
bool is_plain_identity(const Node& node, const Results& results) {
    if (node->kind != Kind::name) return false;
    const Reference reference = split(node->text);
    const core::Result* result = find_result(results, reference.quantity);
    if (!result || result->kind != "identity" || reference.field != "holds") return false;
    const Node left = setting(*result, "left");
    const Node right = setting(*result, "right");
    return left && right && is_one_expression(left, right);
}

/// Whether the condition consists of comparisons that need no result.
bool is_settled(const Node& condition, const Results& results) {
    const auto& children = condition->children;
    const auto is_part_settled = [&results](const Node& part) { return is_settled(part, results); };
    if (condition->kind == Kind::reduction) return is_part_settled(children.back());
    if (is_junction(condition)) return std::all_of(children.begin(), children.end(), is_part_settled);
    if (!formula::is_comparison(condition)) return false;
    if (is_typed(children[0]) && is_typed(children[1])) return true;
    if (is_one_expression(children[0], children[1])) return true;
    return is_plain_identity(children[0], results) && is_typed(children[1]);
}

}  // namespace

bool is_by_definition(const Node& condition, const Results& results) {
    const bool has_quantities = !mentions(condition).empty();
    return (has_quantities && TypedPart(condition).decides()) || is_settled(condition, results);
}

}  // namespace farfield::claim
