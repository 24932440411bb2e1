#include "scheme/folding.hpp"

#include <cmath>

#include "formula/comparison.hpp"

namespace farfield::scheme {
namespace {

using formula::Kind;
using formula::Node;
using formula::Op;

std::optional<double> constant_value(const Node& node) {
    if (node->kind == Kind::number) return node->number;
    if (node->kind == Kind::name && node->text == "inf") return INFINITY;
    if (node->kind != Kind::operation || node->op != Op::negate) return std::nullopt;
    const std::optional<double> inner = constant_value(node->children[0]);
    return inner ? std::optional(-*inner) : std::nullopt;
}

/// entries[begin, end) chosen by comparing the index with the first entry of the upper half; equal entries need none.
Node choose(const Node& index, const std::vector<double>& entries, std::size_t begin, std::size_t end) {
    bool same = true;
    for (std::size_t at = begin; at < end; ++at) same = same && entries[at] == entries[begin];
    // A single NaN does not equal itself.
    if (same || end - begin == 1) return formula::make_number(entries[begin]);
    const std::size_t middle = begin + (end - begin) / 2;
    const Node below = formula::make(Op::less, {index, formula::make_number(static_cast<double>(middle))});
    return formula::make(Op::select,
                         {below, choose(index, entries, begin, middle), choose(index, entries, middle, end)});
}

Node entry_at(const Node& index, const std::vector<double>& entries) {
    const auto last = static_cast<double>(entries.size()) - 1;
    Node nowhere = formula::make_number(NAN);
    if (entries.empty()) return nowhere;
    const Node from = formula::make(Op::greater_equal, {index, formula::make_number(0.0)});
    const Node to = formula::make(Op::less_equal, {index, formula::make_number(last)});
    const Node whole = formula::make(Op::equals, {formula::make(Op::floor, {index}), index});
    const Node inside = formula::make(Op::logical_and, {formula::make(Op::logical_and, {from, to}), whole});
    return formula::make(Op::select, {inside, choose(index, entries, 0, entries.size()), nowhere});
}

}  // namespace

Node rebuilt(const Node& node, const std::function<Node(const Node&)>& change) {
    std::vector<Node> children;  // empty while all are as they were
    for (std::size_t i = 0; i < node->children.size(); ++i) {
        Node child = change(node->children[i]);
        if (child == node->children[i]) continue;
        if (children.empty()) children = node->children;
        children[i] = std::move(child);
    }
    if (children.empty()) return node;
    switch (node->kind) {
        case Kind::index: return formula::make_index(node->text, std::move(children), node->span);
        case Kind::call: return formula::make_call(node->text, std::move(children), node->span);
        case Kind::reduction:
            return formula::make_reduction(node->op, node->text, children[0], children[1], children[2], node->span);
        default: return formula::make(node->op, std::move(children), node->span);
    }
}

std::optional<bool> constant_truth(const Node& condition) {
    if (condition->kind != Kind::operation) return std::nullopt;
    if (condition->op == Op::logical_not) {
        const std::optional<bool> inner = constant_truth(condition->children[0]);
        return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (condition->op == Op::logical_and || condition->op == Op::logical_or) {
        const bool deciding = condition->op == Op::logical_or;
        const std::optional<bool> left = constant_truth(condition->children[0]);
        const std::optional<bool> right = constant_truth(condition->children[1]);
        if (left == deciding || right == deciding) return deciding;
        return left && right ? std::optional(!deciding) : std::nullopt;
    }
    if (!formula::is_comparison(condition)) return std::nullopt;
    const std::optional<double> left = constant_value(condition->children[0]);
    const std::optional<double> right = constant_value(condition->children[1]);
    return left && right ? std::optional(formula::compares(condition->op, *left, *right)) : std::nullopt;
}

Node fold_conditions(const Node& tree) {
    if (tree->kind == Kind::operation && tree->op == Op::select) {
        if (const std::optional<bool> truth = constant_truth(tree->children[0])) {
            return fold_conditions(tree->children[*truth ? 1 : 2]);
        }
    }
    return rebuilt(tree, fold_conditions);
}

Node with_table(const Node& tree, const std::string& name, const std::vector<double>& entries) {
    const auto change = [&](const Node& node) { return with_table(node, name, entries); };
    const Node inner = rebuilt(tree, change);
    const bool is_entry = inner->kind == Kind::index && inner->text == name && inner->children.size() == 1;
    return is_entry ? entry_at(inner->children[0], entries) : inner;
}

std::optional<EntryIndex> entry_index(const Node& node) {
    const auto is = [](const Node& each, Op op) { return each->kind == Kind::operation && each->op == op; };
    if (!is(node, Op::select) || !is(node->children[0], Op::logical_and)) return std::nullopt;
    const Node& range = node->children[0]->children[0];
    if (!is(range, Op::logical_and) || !is(range->children[1], Op::less_equal)) return std::nullopt;
    const Node& index = range->children[1]->children[0];
    const std::optional<double> last = constant_value(range->children[1]->children[1]);
    constexpr double largest_last = 1 << 20;
    if (!last || !(*last >= 0 && *last <= largest_last)) return std::nullopt;
    const Node written = entry_at(index, std::vector<double>(static_cast<std::size_t>(*last) + 1));
    const bool is_entry = formula::equal(node->children[0], written->children[0]) &&
                          formula::equal(node->children[2], written->children[2]);
    return is_entry ? std::optional(EntryIndex{index, *last}) : std::nullopt;
}

}  // namespace farfield::scheme
