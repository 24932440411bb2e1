#include "formula/bounds.hpp"

#include <algorithm>
#include <limits>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/parser.hpp>

#include "formula/comparison.hpp"

namespace farfield::formula {

using numerics::Rational;

namespace {

constexpr int most_replaced = 4;

/// Facts about the constants of the language.
const Facts& constants() {
    static const Facts facts = {parse("pi > 3.14159265358979"), parse("pi < 3.1415926535898"),
                                parse("e > 2.71828182845904"), parse("e < 2.7182818284591")};
    return facts;
}

bool is_upper(Op op) {
    return op == Op::less || op == Op::less_equal;
}

bool is_open(Op op) {
    return op == Op::less || op == Op::greater;
}

/// A name, or an entry of a table, as a factor of a sum.
std::string factor_of(const Node& name) {
    return sum_of(name).begin()->first.front();
}

/// Keeps the tighter of the two.
void improve(std::optional<RangeEnd>& best, const std::optional<RangeEnd>& other, bool is_greatest) {
    if (!other) return;
    const bool is_nearer = best && (is_greatest ? other->at < best->at : best->at < other->at);
    if (!best || is_nearer || (other->at == best->at && other->is_open)) best = other;
}

}  // namespace

bool ValueRange::contains(const Rational& value) const {
    const bool is_above = !least || least->at < value || (!least->is_open && least->at == value);
    const bool is_below = !greatest || value < greatest->at || (!greatest->is_open && greatest->at == value);
    return is_above && is_below && !excluded.contains(value) && (!is_whole || denominator(value) == 1);
}

Bounds::Bounds(const Facts& facts) {
    for (const Facts* each : {&constants(), &facts})
        for (const Node& fact : *each) add_fact(fact);
}

void Bounds::add_fact(const Node& fact) {
    const Node &name = fact->children[0], &side = fact->children[1];
    const std::string factor = factor_of(name);
    if (is_infinite(side)) {
        infinite_.insert(factor);
    } else if (fact->op == Op::equals && side->op == Op::floor && equal(side->children[0], name)) {
        whole_.insert(factor);
    } else if (fact->op == Op::equals) {
        for (const Op op : {Op::less_equal, Op::greater_equal}) add_order(name, op, side);
    } else if (fact->op == Op::differs) {
        if (const auto number = number_in(sum_of(side))) excluded_[factor].insert(*number);
    } else {
        add_order(name, fact->op, side);
    }
}

void Bounds::add_order(const Node& name, Op op, const Node& side) {
    add_side(factor_of(name), op, sum_of(side));
    if (side->kind == Kind::name || side->kind == Kind::index) add_side(factor_of(side), mirrored(op), sum_of(name));
}

void Bounds::add_side(const std::string& factor, Op op, Sum side) {
    Sides& sides = sides_[factor];
    (is_upper(op) ? sides.above : sides.below).push_back({std::move(side), is_open(op)});
}

void Bounds::learn(const Node& node) {
    if (node->kind != Kind::operation && node->kind != Kind::reduction) return;
    const std::vector<ValueLaw> laws = value_laws(node);
    constexpr Op sums_and_products[] = {Op::negate, Op::add, Op::subtract, Op::multiply, Op::divide};
    const bool is_sum =
        std::find(std::begin(sums_and_products), std::end(sums_and_products), node->op) != std::end(sums_and_products);
    if (!is_sum && laws.empty()) return;
    for (const Node& child : node->children) learn(child);
    if (laws.empty()) return;
    const Sum sum = sum_of(node);
    const bool is_factor = sum.size() == 1 && sum.begin()->second == 1 && sum.begin()->first.size() == 1;
    if (!is_factor || sides_.contains(sum.begin()->first.front())) return;
    for (const ValueLaw& law : laws) {
        const bool holds = law.unless.kind == Condition::Kind::never || is_false(law.unless.tree);
        if (!holds) continue;
        const std::string& factor = sum.begin()->first.front();
        if (law.op == Op::equals)
            whole_.insert(factor);
        else
            add_side(factor, law.op, sum_of(law.side));
    }
}

/// Whether a comparison, or several joined by `or`, is known to be false for all values of its names.
bool Bounds::is_false(const Node& comparison) const {
    if (comparison->kind == Kind::operation && comparison->op == Op::logical_or)
        return is_false(comparison->children[0]) && is_false(comparison->children[1]);
    if (!is_comparison(comparison)) return false;
    const Node &left = comparison->children[0], &right = comparison->children[1];
    if (comparison->op == Op::differs && right->kind == Kind::operation && right->op == Op::floor &&
        equal(right->children[0], left))
        return of(sum_of(left)).is_whole;
    Sum difference = sum_of(left);
    add(difference, sum_of(right), -1);
    const ValueRange range = of(difference);
    switch (comparison->op) {
        case Op::less: return range.least && range.least->at >= 0;
        case Op::greater: return range.greatest && range.greatest->at <= 0;
        case Op::less_equal: return range.least && range.least->at >= 0 && !range.contains(0);
        case Op::greater_equal: return range.greatest && range.greatest->at <= 0 && !range.contains(0);
        case Op::equals: return !range.contains(0);
        default: return number_in(difference) == Rational(0);
    }
}

ValueRange Bounds::of(const Sum& sum) const {
    ValueRange range{end_of(sum, false, most_replaced), end_of(sum, true, most_replaced), false, {}};
    range.is_whole = std::all_of(sum.begin(), sum.end(), [this](const auto& term) {
        const auto is_whole = [this](const std::string& factor) { return whole_.contains(factor); };
        return denominator(term.second) == 1 && std::all_of(term.first.begin(), term.first.end(), is_whole);
    });
    const bool is_factor = sum.size() == 1 && sum.begin()->first.size() == 1 && sum.begin()->second == 1;
    const auto known = is_factor ? excluded_.find(sum.begin()->first.front()) : excluded_.end();
    if (known != excluded_.end()) range.excluded = known->second;
    return range;
}

core::Enclosure Bounds::of_name(const Node& name) const {
    constexpr double largest = std::numeric_limits<double>::max();
    const ValueRange range = of(sum_of(name));
    core::Enclosure ends{-largest, largest};
    if (range.least) ends.lo = std::max(ends.lo, numerics::enclose(range.least->at).lo);
    if (range.greatest) ends.hi = std::min(ends.hi, numerics::enclose(range.greatest->at).hi);
    return ends;
}

bool Bounds::may_be_infinite(const Node& tree) const {
    const bool is_value = tree->kind == Kind::name || tree->kind == Kind::index;
    if (is_value && infinite_.contains(factor_of(tree))) return true;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [this](const Node& child) { return may_be_infinite(child); });
}

const std::vector<Bounds::Side>& Bounds::sides_of(const Factors& factors, bool is_greatest) const {
    static const std::vector<Side> none;
    const auto known = factors.size() == 1 ? sides_.find(factors.front()) : sides_.end();
    if (known == sides_.end()) return none;
    return is_greatest ? known->second.above : known->second.below;
}

/// Replaces factors by expressions that are their upper bounds, or lower bounds.
std::optional<RangeEnd> Bounds::end_of(const Sum& sum, bool is_greatest, int depth) const {
    std::optional<RangeEnd> best = end_of_terms(sum, is_greatest);
    if (depth == 0) return best;
    for (const auto& [factors, number] : sum)
        for (const Side& side : sides_of(factors, (number > 0) == is_greatest)) {
            if (number_in(side.sum)) continue;
            Sum replaced = sum;
            replaced.erase(factors);
            add(replaced, side.sum, number);
            std::optional<RangeEnd> end = end_of(replaced, is_greatest, depth - 1);
            if (end) end->is_open = end->is_open || side.is_open;
            improve(best, end, is_greatest);
        }
    return best;
}

std::optional<RangeEnd> Bounds::end_of_terms(const Sum& sum, bool is_greatest) const {
    RangeEnd end{0, false};
    for (const auto& [factors, number] : sum) {
        if (factors.empty()) {
            end.at += number;
            continue;
        }
        const auto of_term = end_of_factors(factors, (number > 0) == is_greatest);
        if (!of_term) return std::nullopt;
        end.at += number * of_term->at;
        end.is_open = end.is_open || of_term->is_open;
    }
    return end;
}

std::optional<RangeEnd> Bounds::end_of_factors(const Factors& factors, bool is_greatest) const {
    if (factors.size() == 1) {
        std::optional<RangeEnd> best;
        for (const Side& side : sides_of(factors, is_greatest))
            if (const auto number = number_in(side.sum)) improve(best, RangeEnd{*number, side.is_open}, is_greatest);
        return best;
    }
    const auto is_zero = [this](const std::string& factor) {
        const auto least = end_of_factors({factor}, false), greatest = end_of_factors({factor}, true);
        return least && greatest && least->at == 0 && greatest->at == 0;
    };
    if (std::any_of(factors.begin(), factors.end(), is_zero)) return RangeEnd{0, false};
    if (is_greatest) return std::nullopt;
    bool are_squares = factors.size() % 2 == 0;
    for (std::size_t i = 0; are_squares && i < factors.size(); i += 2) are_squares = factors[i] == factors[i + 1];
    if (are_squares) return RangeEnd{0, false};
    bool is_open = true;
    for (const std::string& factor : factors) {
        const auto least = end_of_factors({factor}, false);
        if (!least || least->at < 0) return std::nullopt;
        is_open = is_open && (least->is_open || least->at > 0);
    }
    return RangeEnd{0, is_open};
}

}  // namespace farfield::formula
