#include "quantity/work.hpp"

#include <algorithm>
#include <optional>

#include <farfield/formula/simplify.hpp>

namespace farfield::quantity {
namespace {

constexpr double unknown_trips = 1000;

std::optional<double> number_of(const formula::Node& tree) {
    const formula::Node simple = formula::simplify(tree);
    if (simple->kind == formula::Kind::number) return simple->number;
    const bool is_negated = simple->kind == formula::Kind::operation && simple->op == formula::Op::negate;
    if (is_negated && simple->children[0]->kind == formula::Kind::number) return -simple->children[0]->number;
    return std::nullopt;
}

double trips(const formula::Node& reduction) {
    const std::optional<double> from = number_of(reduction->children[0]);
    const std::optional<double> to = number_of(reduction->children[1]);
    return from && to ? std::max(0.0, *to - *from + 1) : unknown_trips;
}

}  // namespace

double operations(const formula::Node& tree) {
    if (tree->kind == formula::Kind::reduction)
        return operations(tree->children[0]) + operations(tree->children[1]) +
               trips(tree) * (1 + operations(tree->children[2]));
    double count = tree->kind == formula::Kind::operation ? 1 : 0;
    for (const formula::Node& child : tree->children) count += operations(child);
    return count;
}

}  // namespace farfield::quantity
