#include "formula/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <farfield/formula/names.hpp>
#include <farfield/numerics/interval.hpp>

namespace farfield::formula {

using numerics::Rational;

namespace {

constexpr int most_replaced = 4;

std::optional<RangeEnd> end_at(double bound, bool is_open) {
    return std::isfinite(bound) ? std::optional(RangeEnd{numerics::exactly(bound), is_open}) : std::nullopt;
}

/// The bounds that a function's row states. A function that rises strictly over all reals does not attain them.
ValueRange range_of_row(Op op) {
    using numerics::infinity;
    bool is_rising = false;
#define FUNCTION(name, stem, shape, ...) \
    if (op == Op::name) is_rising = std::string_view(#shape) == "rising";
#include <farfield/numerics/functions.def>
#define KNOWN(name, stem, at, value, low, high, least, greatest) \
    if (op == Op::name) return {end_at(least, is_rising), end_at(greatest, is_rising)};
#include <farfield/numerics/functions.def>
    return {};
}

bool is_positive_number(const Node& node) {
    return node->kind == Kind::number ? node->number > 0
                                      : node->kind == Kind::name && (node->text == "e" || node->text == "pi");
}

ValueRange range_of(const Node& node) {
    const RangeEnd zero{0, false}, above_zero{0, true};
    switch (node->op) {
        case Op::absolute:
        case Op::square_root: return {zero, {}};
        case Op::softplus: return {above_zero, {}};
        case Op::sigmoid: return {above_zero, RangeEnd{1, true}};
        case Op::power: {
            if (is_positive_number(node->children[0])) return {above_zero, {}};
            const Node& exponent = node->children[1];
            const auto number = exponent->kind == Kind::number ? numerics::read_rational(exponent->text) : std::nullopt;
            return number && numerics::is_integer(*number / 2) ? ValueRange{zero, {}} : ValueRange{};
        }
        default: return range_of_row(node->op);
    }
}

/// Expressions that are upper bounds, or lower bounds, of a function for all arguments.
std::vector<Sum> sums_around(const Node& node, bool is_greatest) {
    const bool is_both = node->op == (is_greatest ? Op::minimum : Op::maximum);
    if (is_both) return {sum_of(node->children[0]), sum_of(node->children[1])};
    if (node->op != Op::absolute || is_greatest) return {};
    Sum opposite;
    add(opposite, sum_of(node->children[0]), -1);
    return {sum_of(node->children[0]), opposite};
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
    return is_above && is_below;
}

void Bounds::learn(const Node& node) {
    if (node->kind != Kind::operation) return;
    const Sum sum = sum_of(node);
    const bool is_factor = sum.size() == 1 && sum.begin()->second == 1 && sum.begin()->first.size() == 1;
    if (is_factor) functions_.emplace(sum.begin()->first.front(), node);
    constexpr Op within[] = {Op::negate, Op::add,     Op::subtract, Op::multiply,
                             Op::divide, Op::minimum, Op::maximum,  Op::absolute};
    if (std::find(std::begin(within), std::end(within), node->op) == std::end(within)) return;
    for (const Node& child : node->children) learn(child);
}

ValueRange Bounds::of(const Sum& sum) const {
    return {end_of(sum, false, most_replaced), end_of(sum, true, most_replaced)};
}

/// Replaces a min, a max or an abs by expressions that are its upper bounds, or lower bounds.
std::optional<RangeEnd> Bounds::end_of(const Sum& sum, bool is_greatest, int depth) const {
    std::optional<RangeEnd> best = end_of_terms(sum, is_greatest);
    if (depth == 0) return best;
    for (const auto& [factors, number] : sum) {
        const auto function = factors.size() == 1 ? functions_.find(factors.front()) : functions_.end();
        if (function == functions_.end()) continue;
        for (const Sum& around : sums_around(function->second, (number > 0) == is_greatest)) {
            Sum replaced = sum;
            replaced.erase(factors);
            add(replaced, around, number);
            improve(best, end_of(replaced, is_greatest, depth - 1), is_greatest);
        }
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
        if (const auto function = functions_.find(factors.front()); function != functions_.end()) {
            const ValueRange range = range_of(function->second);
            return is_greatest ? range.greatest : range.least;
        }
        for (const auto& [name, number] : *least_)
            if (!is_greatest && factors.front() == "[" + name + "]") return RangeEnd{number, false};
        return std::nullopt;
    }
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
