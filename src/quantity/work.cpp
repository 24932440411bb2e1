#include "quantity/work.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <farfield/formula/simplify.hpp>

namespace farfield::quantity {
namespace {

constexpr double unknown_trips = 1000;
constexpr double parts_of_integral = 1000;

std::optional<double> number_of(const formula::Node& tree) {
    const formula::Node simple = formula::simplify(tree);
    if (simple->kind == formula::Kind::number) return simple->number;
    const bool is_negated = simple->kind == formula::Kind::operation && simple->op == formula::Op::negate;
    if (is_negated && simple->children[0]->kind == formula::Kind::number) return -simple->children[0]->number;
    return std::nullopt;
}

/// A node that several others share counts in each, but is visited once. The bounds of a reduction may contain the
/// variables of enclosing reductions; their ends are substituted, and the larger number of iterations counts.
class Counter {
public:
    using Ends = std::vector<std::pair<formula::Replacement, formula::Replacement>>;

    explicit Counter(Ends around) : around_(std::move(around)) {}

    double count(const formula::Node& tree) {
        const auto [known, is_new] = counts_.emplace(tree.get(), 0);
        if (!is_new) return known->second;
        const double counted = own(tree);
        counts_[tree.get()] = counted;
        return counted;
    }

private:
    double own(const formula::Node& tree) {
        if (tree->kind == formula::Kind::reduction) return reduction(tree);
        double sum = tree->kind == formula::Kind::operation ? 1 : 0;
        for (const formula::Node& child : tree->children) sum += count(child);
        return sum;
    }

    double reduction(const formula::Node& tree) {
        const std::optional<double> from = end_of(tree->children[0], false);
        const std::optional<double> to = end_of(tree->children[1], true);
        const bool is_integral = formula::row(tree->op).integral;
        const double trips = is_integral  ? parts_of_integral
                             : from && to ? std::max(0.0, *to - *from + 1)
                                          : unknown_trips;
        Ends inner = around_;
        if (from && to)
            inner.push_back({{tree->text, formula::make_number(*from)}, {tree->text, formula::make_number(*to)}});
        return count(tree->children[0]) + count(tree->children[1]) +
               trips * (1 + Counter(std::move(inner)).count(tree->children[2]));
    }

    /// The smallest or the largest value of a bound, as far as the ends of its variables show it.
    std::optional<double> end_of(const formula::Node& bound, bool largest) const {
        const std::optional<double> alone = number_of(bound);
        if (alone || around_.empty()) return alone;
        std::vector<formula::Replacement> low, high;
        for (const auto& [first, last] : around_) {
            low.push_back(first);
            high.push_back(last);
        }
        const std::optional<double> at_low = number_of(formula::substitute(bound, low));
        const std::optional<double> at_high = number_of(formula::substitute(bound, high));
        if (!at_low || !at_high) return std::nullopt;
        return largest ? std::max(*at_low, *at_high) : std::min(*at_low, *at_high);
    }

    Ends around_;
    std::unordered_map<const formula::Tree*, double> counts_;
};

}  // namespace

double operations(const formula::Node& tree) {
    return Counter({}).count(tree);
}

}  // namespace farfield::quantity
