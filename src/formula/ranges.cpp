#include "formula/ranges.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>

#include "formula/form.hpp"
#include "numerics/rational.hpp"

namespace farfield::formula {
namespace {

/// The number that a bound states; nothing if it has to be computed.
std::optional<numerics::Rational> stated(const Node& bound) {
    if (bound->kind == Kind::operation && bound->op == Op::negate) {
        const auto number = stated(bound->children[0]);
        return number ? std::optional<numerics::Rational>(-*number) : std::nullopt;
    }
    return bound->kind == Kind::number ? numerics::read_rational(bound->text) : std::nullopt;
}

/// Whether only numbers and operators decide its value.
bool is_constant(const Node& tree) {
    if (tree->kind != Kind::number && tree->kind != Kind::operation) return false;
    return std::all_of(tree->children.begin(), tree->children.end(), is_constant);
}

}  // namespace

void check_ranges(const Node& tree, const Source& source, core::Problems& problems) {
    for (const Node& child : tree->children) check_ranges(child, source, problems);
    const auto place = [&](const Node& node) { return place_of(source, node->span); };
    if (tree->kind == Kind::operation && tree->op == Op::clamp) {
        const auto least = stated(tree->children[1]), most = stated(tree->children[2]);
        if (least && most && *least > *most)
            problems.add(place(tree->children[1]),
                         "clamp() is from " + print(tree->children[1]) + " to " + print(tree->children[2]),
                         "the lower bound first");
    }
    if (tree->kind != Kind::reduction || tree->op == Op::integral) return;
    const bool is_quantifier = tree->op == Op::for_all || tree->op == Op::for_some;
    const std::string name = std::string(row(tree->op).spelling) + "()";
    const auto from = stated(tree->children[0]), to = stated(tree->children[1]);
    for (const std::size_t end : {0, 1}) {
        const auto& bound = end == 0 ? from : to;
        if (is_quantifier && bound && !numerics::is_integer(*bound))
            problems.add(place(tree->children[end]),
                         "the " + std::string(end == 0 ? "first" : "last") + " value of " + name + " is " +
                             print(tree->children[end]),
                         "an integer");
    }
    if (from && to && *from > *to)
        problems.add(place(tree->children[0]), name + " is over no integer", "a last value that is at least the first");
    const std::vector<std::string> used = free_names(tree->children[2]);
    if (is_quantifier && std::find(used.begin(), used.end(), tree->text) == used.end())
        problems.add(place(tree), "the condition of " + name + " does not depend on '" + tree->text + "'",
                     "a condition of " + tree->text + ", or no " + name);
}

void check_choices(const Node& tree, const Source& source, core::Problems& problems) {
    for (const Node& child : tree->children) check_choices(child, source, problems);
    if (tree->kind != Kind::operation || tree->op != Op::select) return;
    const Node& condition = tree->children[0];
    if (is_constant(condition))
        problems.add(place_of(source, condition->span),
                     "'" + written(source, condition) + "' chooses the same branch everywhere",
                     "that branch alone, or a condition of a name");
}

}  // namespace farfield::formula
