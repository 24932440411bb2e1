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

bool is_typed(const Node& node) {
    if (node->kind == Kind::number) return true;
    if (node->kind != Kind::operation) return false;
    constexpr Op four[] = {Op::negate, Op::add, Op::subtract, Op::multiply, Op::divide, Op::modulo};
    return std::find(std::begin(four), std::end(four), node->op) != std::end(four) &&
           std::all_of(node->children.begin(), node->children.end(), is_typed);
}

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
    if (is_operation(condition, Op::logical_and) || is_operation(condition, Op::logical_or) ||
        is_operation(condition, Op::logical_not))
        return std::all_of(children.begin(), children.end(), is_part_settled);
    if (!formula::is_comparison(condition)) return false;
    if (is_typed(children[0]) && is_typed(children[1])) return true;
    if (is_one_expression(children[0], children[1])) return true;
    return is_plain_identity(children[0], results) && is_typed(children[1]);
}

}  // namespace

bool is_by_definition(const Node& condition, const Results& results) {
    // Without results, every quantity is unknown.
    const bool is_idle =
        !mentions(condition).empty() && examine(condition, {}, Explaining::truth).truth != evaluate::Truth::unknown;
    return is_idle || is_settled(condition, results);
}

}  // namespace farfield::claim
