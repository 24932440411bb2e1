#include "quantity/work.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

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

/// Each node that several others share is counted once, and its number used again.
class Counter {
public:
    double count(const formula::Node& tree) {
        const auto [known, is_new] = counts_.emplace(tree.get(), 0);
        if (!is_new) return known->second;
        const double counted = own(tree);
        counts_[tree.get()] = counted;
        return counted;
    }

private:
    double own(const formula::Node& tree) {
        if (tree->kind == formula::Kind::reduction)
            return count(tree->children[0]) + count(tree->children[1]) + trips(tree) * (1 + count(tree->children[2]));
        double sum = tree->kind == formula::Kind::operation ? 1 : 0;
        for (const formula::Node& child : tree->children) sum += count(child);
        return sum;
    }

    std::unordered_map<const formula::Tree*, double> counts_;
};

}  // namespace

double operations(const formula::Node& tree) {
    return Counter().count(tree);
}

}  // namespace farfield::quantity
