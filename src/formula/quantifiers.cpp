#include "formula/quantifiers.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>

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

}  // namespace

void check_quantifiers(const Node& tree, const Source& source, core::Problems& problems) {
    for (const Node& child : tree->children) check_quantifiers(child, source, problems);
    if (tree->kind != Kind::reduction || (tree->op != Op::for_all && tree->op != Op::for_some)) return;
    const std::string name = tree->op == Op::for_all ? "all()" : "exists()";
    const auto place = [&](const Node& node) { return place_of(source, node->span); };
    const auto from = stated(tree->children[0]), to = stated(tree->children[1]);
    for (const std::size_t end : {0, 1}) {
        const auto& bound = end == 0 ? from : to;
        if (bound && !numerics::is_integer(*bound))
            problems.add(place(tree->children[end]),
                         "the " + std::string(end == 0 ? "first" : "last") + " value of " + name + " is " +
                             print(tree->children[end]),
                         "an integer");
    }
    if (from && to && *from > *to)
        problems.add(place(tree->children[0]), name + " is over no integer", "a last value that is at least the first");
    const std::vector<std::string> used = free_names(tree->children[2]);
    if (std::find(used.begin(), used.end(), tree->text) == used.end())
        problems.add(place(tree), "the condition of " + name + " does not depend on '" + tree->text + "'",
                     "a condition of " + tree->text + ", or no " + name);
}

}  // namespace farfield::formula
