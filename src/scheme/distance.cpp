#include <algorithm>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>

#include "scheme/folding.hpp"

namespace farfield::scheme {
namespace {

using formula::Node;
using formula::Op;

/// The tree with q - k and k - q written as n and -n.
Node distances_named(const Node& tree) {
    const auto is = [](const Node& node, const char* name) {
        return node->kind == formula::Kind::name && node->text == name;
    };
    if (tree->kind == formula::Kind::operation && tree->op == Op::subtract) {
        const Node& left = tree->children[0];
        const Node& right = tree->children[1];
        if (is(left, "q") && is(right, "k")) return formula::make_name("n");
        if (is(left, "k") && is(right, "q")) return formula::make(Op::negate, {formula::make_name("n")});
    }
    // If a sum binds one of these names, q - k is not the distance.
    const bool binds =
        tree->kind == formula::Kind::reduction && (tree->text == "q" || tree->text == "k" || tree->text == "n");
    return binds ? tree : rebuilt(tree, distances_named);
}

bool mentions_positions(const Node& tree) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::any_of(names.begin(), names.end(), [](const std::string& name) { return name == "q" || name == "k"; });
}

/// Whether the formula has a value at every query and key, or at none. The laws of the reals then hold at all of them.
/// An infinity in the formula's text, for masked positions, counts as a number here, because the laws never cancel it.
bool has_value_everywhere(const Node& tree) {
    const formula::Condition condition =
        formula::defined(formula::substitute(tree, {{"inf", formula::make_name("infinity")}}));
    if (condition.kind != formula::Condition::Kind::depends) return condition.is_always();
    const std::vector<std::string> names = formula::free_names(condition.tree);
    return std::none_of(names.begin(), names.end(), [](const std::string& name) { return name == "n" || name == "k"; });
}

}  // namespace

bool depends_on_distance_only(const Node& tree) {
    const Node named = distances_named(tree);
    if (!mentions_positions(named)) return true;
    // Compares the value at (k + n, k) with that at (n, 0).
    const Node shifted = formula::make(Op::add, {formula::make_name("k"), formula::make_name("n")});
    const Node anywhere = formula::substitute(named, {{"q", shifted}});
    if (!has_value_everywhere(anywhere)) return false;
    if (!mentions_positions(formula::simplify(anywhere))) return true;
    const Node at_start =
        formula::substitute(named, {{"q", formula::make_name("n")}, {"k", formula::make_number("0")}});
    return formula::proves_equal(anywhere, at_start);
}

}  // namespace farfield::scheme
