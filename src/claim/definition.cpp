#include "claim/definition.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

#include "claim/find.hpp"
#include "numerics/rational.hpp"

namespace farfield::claim {

using formula::Kind;
using formula::Node;
using formula::Op;
using numerics::Rational;
using Results = std::vector<const core::Result*>;

namespace {

/// A sum of terms: factors as sorted texts, and the number before them. Numbers have no factors.
using Factors = std::vector<std::string>;
using Sum = std::map<Factors, Rational>;

bool is_operation(const Node& node, Op op) {
    return node->kind == Kind::operation && node->op == op;
}

Sum sum_of(const Node& node);

std::string text_of(const Sum& sum) {
    std::string text;
    for (const auto& [factors, number] : sum) {
        text += (text.empty() ? "" : " + ") + numerics::rational_text(number);
        for (const std::string& factor : factors) text += "*" + factor;
    }
    return "(" + text + ")";
}

void add(Sum& to, const Sum& terms, const Rational& times) {
    for (const auto& [factors, number] : terms) {
        Rational& sum = to[factors];
        sum += number * times;
        if (sum == 0) to.erase(factors);
    }
}

std::optional<Rational> number_in(const Sum& sum) {
    if (sum.empty()) return Rational(0);
    const bool is_number = sum.size() == 1 && sum.begin()->first.empty();
    return is_number ? std::optional(sum.begin()->second) : std::nullopt;
}

/// A sum of several terms is a factor as a whole: nothing is multiplied out.
std::pair<Factors, Rational> term_of(const Sum& sum) {
    if (sum.empty()) return {{}, 0};
    if (sum.size() == 1) return *sum.begin();
    return {{text_of(sum)}, 1};
}

Sum product(const Sum& a, const Sum& b) {
    if (const auto number = number_in(a)) {
        Sum scaled;
        add(scaled, b, *number);
        return scaled;
    }
    if (number_in(b)) return product(b, a);
    auto [factors, number] = term_of(a);
    const auto [others, times] = term_of(b);
    factors.insert(factors.end(), others.begin(), others.end());
    std::sort(factors.begin(), factors.end());
    return {{factors, number * times}};
}

/// Anything but sums and products: the node with its children brought into this form.
Sum whole(const Node& node) {
    std::string text = node->kind == Kind::number ? formula::print(node) : node->text;
    if (node->kind == Kind::operation || node->kind == Kind::reduction)
        text = std::string(formula::row(node->op).spelling) + " " + text;
    if (node->kind == Kind::text) text = "'" + text + "'";
    for (const Node& child : node->children) text += " " + text_of(sum_of(child));
    return {{{"[" + text + "]"}, 1}};
}

Sum sum_of(const Node& node) {
    if (node->kind == Kind::number) {
        const auto value = numerics::read_rational(node->text);
        return !value ? whole(node) : *value == 0 ? Sum{} : Sum{{{}, *value}};
    }
    Sum sum;
    if (is_operation(node, Op::negate)) {
        add(sum, sum_of(node->children[0]), -1);
    } else if (is_operation(node, Op::add) || is_operation(node, Op::subtract)) {
        sum = sum_of(node->children[0]);
        add(sum, sum_of(node->children[1]), node->op == Op::add ? 1 : -1);
    } else if (is_operation(node, Op::multiply)) {
        sum = product(sum_of(node->children[0]), sum_of(node->children[1]));
    } else if (is_operation(node, Op::divide)) {
        const auto divisor = number_in(sum_of(node->children[1]));
        if (!divisor || *divisor == 0) return whole(node);
        add(sum, sum_of(node->children[0]), 1 / *divisor);
    } else {
        sum = whole(node);
    }
    return sum;
}

bool is_typed(const Node& node) {
    if (node->kind == Kind::number) return true;
    if (node->kind != Kind::operation) return false;
    constexpr Op four[] = {Op::negate, Op::add, Op::subtract, Op::multiply, Op::divide, Op::modulo};
    return std::find(std::begin(four), std::end(four), node->op) != std::end(four) &&
           std::all_of(node->children.begin(), node->children.end(), is_typed);
}

/// The text of a setting of a quantity, read; null if there is none.
Node setting(const core::Result& result, const std::string& key) {
    for (const auto& [name, text] : result.evidence.facts)
        if (name == "setting." + key) return formula::parse(text);
    return nullptr;
}

/// Whether the node is `holds` of an identity whose two sides are one expression.
bool is_plain_identity(const Node& node, const Results& results) {
    if (node->kind != Kind::name) return false;
    const Reference reference = split(node->text);
    const core::Result* result = find_result(results, reference.quantity);
    if (!result || result->kind != "identity" || reference.field != "holds") return false;
    const Node left = setting(*result, "left");
    const Node right = setting(*result, "right");
    return left && right && is_one_expression(left, right);
}

bool is_comparison(const Node& node) {
    constexpr Op six[] = {Op::less, Op::less_equal, Op::greater, Op::greater_equal, Op::equals, Op::differs};
    return node->kind == Kind::operation && std::find(std::begin(six), std::end(six), node->op) != std::end(six);
}

}  // namespace

bool is_one_expression(const Node& a, const Node& b) {
    return sum_of(a) == sum_of(b);
}

bool is_by_definition(const Node& condition, const Results& results) {
    const auto& children = condition->children;
    const auto is_settled = [&results](const Node& part) { return is_by_definition(part, results); };
    if (condition->kind == Kind::reduction) return is_settled(children.back());
    if (is_operation(condition, Op::logical_and) || is_operation(condition, Op::logical_or) ||
        is_operation(condition, Op::logical_not))
        return std::all_of(children.begin(), children.end(), is_settled);
    if (!is_comparison(condition)) return false;
    if (is_typed(children[0]) && is_typed(children[1])) return true;
    if (is_one_expression(children[0], children[1])) return true;
    return is_plain_identity(children[0], results) && is_typed(children[1]);
}

}  // namespace farfield::claim
