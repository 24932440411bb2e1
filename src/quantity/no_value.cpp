#include "quantity/no_value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include <farfield/evaluate/reference.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

#include "quantity/work.hpp"
#include "scheme/folding.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;

/// A longer text is no help in a message.
constexpr std::size_t longest_explained = 120;

/// Each part is evaluated with all of its own parts.
constexpr std::size_t most_explained_nodes = 1000;
constexpr double most_explained_steps = 1e6;

/// The innermost part without a finite value; null if there is none. The body of a reduction is not entered, because
/// its variable has no value outside.
Node find_part(const Node& tree, const evaluate::Environment& environment) {
    if (tree->kind != formula::Kind::operation && tree->kind != formula::Kind::reduction) return nullptr;
    // Of an if(), the branch that is not taken needs no value.
    if (tree->kind == formula::Kind::operation && tree->op == formula::Op::select) {
        if (Node part = find_part(tree->children[0], environment)) return part;
        const bool is_first = evaluate::reference(tree->children[0], environment) != 0;
        if (!is_first && scheme::entry_index(tree)) return tree;
        return find_part(tree->children[is_first ? 1 : 2], environment);
    }
    const std::size_t operands = tree->kind == formula::Kind::reduction ? 2 : tree->children.size();
    for (std::size_t i = 0; i < operands; ++i)
        if (Node part = find_part(tree->children[i], environment)) return part;
    return std::isfinite(evaluate::reference(tree, environment)) ? nullptr : tree;
}

std::string needs_of(const Node& part) {
    if (part->kind == formula::Kind::reduction) return ": its bounds must be integers, and its body must have a value";
    std::vector<Node> letters;
    for (std::size_t i = 0; i < part->children.size(); ++i)
        letters.push_back(formula::make_name(std::string(1, static_cast<char>('a' + i))));
    const Node general = formula::make(part->op, letters);
    const formula::Condition condition = formula::defined(general);
    if (condition.kind != formula::Condition::Kind::depends) return "";
    return ": " + formula::print(general) + " needs " + formula::print(condition.tree);
}

}  // namespace

std::string why_no_value(const Node& tree, const std::map<std::string, double>& point) {
    std::string usual = "0/0, inf - inf, roots and logarithms below zero have none";
    if (tree->nodes > most_explained_nodes || operations(tree) > most_explained_steps ||
        !formula::indexed_names(tree).empty())
        return usual;
    const Node part = find_part(tree, {point, {}});
    if (!part) return usual;
    if (const auto entry = scheme::entry_index(part)) {
        const std::string index = formula::print(formula::simplify(entry->index));
        return index.size() > longest_explained
                   ? usual
                   : fmt::format("the index {} is not an integer from 0 to {} there", index, entry->last);
    }
    const std::string text = formula::print(part);
    const std::string needs = needs_of(part);
    if (text.size() + needs.size() > longest_explained) return usual;
    return text + " has no value there" + needs;
}

}  // namespace farfield::quantity
