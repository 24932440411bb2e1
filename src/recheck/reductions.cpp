// Values of reductions over integers.
#include <algorithm>
#include <string>
#include <vector>

#include "recheck/evaluator.hpp"

namespace farfield::recheck {
namespace {

constexpr long most_steps = 20'000'000;

}  // namespace

bool Evaluator::bounds(const Tree& node, long& from, long& to) {
    const Number low = value(node.parts[0]);
    const Number high = value(node.parts[1]);
    if (!low.exact() || !high.exact()) return false;
    const auto first = whole_number(*low.exact());
    const auto last = whole_number(*high.exact());
    if (!first || !last) return false;
    from = *first;
    to = *last;
    if (to >= from &&
        static_cast<unsigned long>(to) - static_cast<unsigned long>(from) >= static_cast<unsigned long>(most_steps))
        throw Unprovable("a sum or a quantifier over more than " + std::to_string(most_steps) + " values");
    return true;
}

Number Evaluator::reduction(const Tree& node) {
    long from = 0;
    long to = 0;
    const bool is_sum = node.op == Op::sum;
    if (!bounds(node, from, to)) return Number(Interval::line(), Truth::maybe);
    Number result(Rational(is_sum ? 0 : 1));
    bound_.emplace_back(node.name, Number());
    for (long at = from; at <= to; ++at) {
        bound_.back().second = Number(Rational(at));
        const Number term = value(node.parts[2]);
        result = is_sum ? result + term : result * term;
    }
    bound_.pop_back();
    return result;
}

/// Every integer whose term may be the best, after all terms are known. An integer is excluded if another term
/// certainly beats its term, or an earlier one certainly equals or beats it.
Number Evaluator::choice(const Tree& node) {
    long from = 0;
    long to = 0;
    if (!bounds(node, from, to)) return Number::unknown();
    std::vector<Number> terms;
    bound_.emplace_back(node.name, Number());
    for (long at = from; at <= to; ++at) {
        bound_.back().second = Number(Rational(at));
        const Number term = value(node.parts[2]);
        terms.push_back(node.op == Op::argmin ? term : -term);
    }
    bound_.pop_back();
    if (terms.empty()) return Number::nowhere();
    const bool have_values = std::all_of(terms.begin(), terms.end(), [](const Number& term) {
        return term.defined() == Truth::yes && term.infinite() == 0;
    });
    if (!have_values) return Number::unknown();
    // The term with the smallest upper end excludes most others.
    const auto best = std::min_element(
        terms.begin(), terms.end(), [](const Number& a, const Number& b) { return a.interval().hi < b.interval().hi; });
    std::vector<long> left;
    for (auto term = terms.begin(); term != terms.end(); ++term) {
        const bool is_beaten =
            term != best && (term > best ? less_equal(*best, *term) : less(*best, *term)) == Truth::yes;
        if (!is_beaten) left.push_back(from + (term - terms.begin()));
    }
    if (left.size() == 1) return Number(Rational(left.front()));
    return Number(hull(enclose(Rational(left.front())), enclose(Rational(left.back()))));
}

Truth Evaluator::logical_reduction(const Tree& node) {
    long from = 0;
    long to = 0;
    const bool is_all = node.op == Op::for_all;
    if (!bounds(node, from, to)) return Truth::maybe;
    has_empty_range_ = has_empty_range_ || (from > to && bound_.empty());
    const Truth settled = is_all ? Truth::no : Truth::yes;
    Truth result = negated(settled);
    bound_.emplace_back(node.name, Number());
    for (long at = from; at <= to && result != settled; ++at) {
        bound_.back().second = Number(Rational(at));
        const Truth here = truth(node.parts[2]);
        result = is_all ? both(result, here) : either(result, here);
    }
    bound_.pop_back();
    return result;
}

}  // namespace farfield::recheck
