#include "recheck/evaluator.hpp"

#include <algorithm>

#include "recheck/jet.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_kept = 1 << 20;

/// The parts of an integral for the enclosures of its first and second derivatives.
constexpr unsigned long parts_of_jet = 32;

}  // namespace

Number Evaluator::value(const Node& tree, const Box& box) {
    if (kept_.empty() || kept_.back() != tree) kept_.push_back(tree);
    variables_ = box;
    return value(tree);
}

Truth Evaluator::truth(const Node& tree, const Box& box) {
    if (kept_.empty() || kept_.back() != tree) kept_.push_back(tree);
    variables_ = box;
    return truth(tree);
}

Jet Evaluator::jet(const Node& tree, const Box& box, const std::string& variable) {
    if (kept_.empty() || kept_.back() != tree) kept_.push_back(tree);
    variables_ = box;
    along_ = variable;
    return jet(tree);
}

const Number* Evaluator::find(const std::string& name) const {
    for (auto entry = bound_.rbegin(); entry != bound_.rend(); ++entry)
        if (entry->first == name) return &entry->second;
    for (const auto& [variable, number] : variables_)
        if (variable == name) return &number;
    return nullptr;
}

Number Evaluator::value(const Node& node) {
    const bool is_leaf = node->parts.empty();
    if (is_leaf || node->free.size() > 1) return fresh_value(*node);
    if (node->free.empty()) {
        const auto known = constants_.find(node.get());
        if (known != constants_.end()) return known->second;
        return constants_.emplace(node.get(), fresh_value(*node)).first->second;
    }
    const auto entry = std::find_if(bound_.rbegin(), bound_.rend(),
                                    [&](const auto& each) { return each.first == node->free.front(); });
    const auto at =
        entry != bound_.rend() && entry->second.exact() ? whole_number(*entry->second.exact()) : std::nullopt;
    if (!at || node->op == Op::lookup) return fresh_value(*node);
    auto& known = by_bound_[node.get()];
    const auto found = known.find(*at);
    if (found != known.end()) return found->second;
    Number result = fresh_value(*node);
    if (by_bound_[node.get()].size() < most_kept) by_bound_[node.get()].emplace(*at, result);
    return result;
}

Number Evaluator::fresh_value(const Tree& node) {
    const auto part = [&](std::size_t i) { return value(node.parts[i]); };
    switch (node.op) {
        case Op::number: return Number(node.value);
        case Op::name: {
            if (const Number* known = find(node.name)) return *known;
            if (node.name == "pi") return Number(pi());
            if (node.name == "e") return Number(euler());
            if (node.name == "inf") return Number::infinity(1);
            break;
        }
        case Op::select: {
            const Truth truth_here = truth(node.parts[0]);
            if (truth_here != Truth::maybe) return part(truth_here == Truth::yes ? 1 : 2);
            return joined(part(1), part(2));
        }
        case Op::clamp: return min(max(part(0), part(1)), part(2));
        case Op::t5_bucket: return t5_bucket(part(0), part(1), part(2));
        case Op::sum:
        case Op::product: return reduction(node);
        case Op::argmin:
        case Op::argmax: return choice(node);
        case Op::integral: return integral(node);
        case Op::lookup:
        case Op::text:
        case Op::call: break;
        default: return node.parts.size() == 1 ? unary(node.op, part(0)) : binary(node.op, part(0), part(1));
    }
    if (!lookup_) throw Unprovable("an unknown name '" + node.name + "'");
    std::vector<Number> indexes;
    for (const Node& index : node.parts)
        indexes.push_back(index->op == Op::text || node.op == Op::call ? Number() : value(index));
    return lookup_(node, indexes);
}

Truth Evaluator::truth(const Node& node) {
    const auto part = [&](std::size_t i) { return value(node->parts[i]); };
    switch (node->op) {
        case Op::less: return less(part(0), part(1));
        case Op::less_equal: return less_equal(part(0), part(1));
        case Op::greater: return less(part(1), part(0));
        case Op::greater_equal: return less_equal(part(1), part(0));
        case Op::equal: return equal(part(0), part(1));
        case Op::differs: return negated(equal(part(0), part(1)));
        case Op::negation: return negated(truth(node->parts[0]));
        case Op::conjunction: {
            const Truth first = truth(node->parts[0]);
            return first == Truth::no ? first : both(first, truth(node->parts[1]));
        }
        case Op::disjunction: {
            const Truth first = truth(node->parts[0]);
            return first == Truth::yes ? first : either(first, truth(node->parts[1]));
        }
        case Op::for_all:
        case Op::for_some: return logical_reduction(*node);
        default: throw Unprovable("a number where a condition is needed");
    }
}

Jet Evaluator::jet(const Node& node) {
    const bool has_moving = std::any_of(moving_.begin(), moving_.end(),
                                        [&](const auto& entry) { return uses(*node, bound_[entry.first].first); });
    if (!has_moving && !uses(*node, along_)) return constant(value(node));
    const bool is_hidden =
        std::any_of(bound_.begin(), bound_.end(), [&](const auto& entry) { return entry.first == along_; });
    if (is_hidden) return has_moving ? broken(value(node)) : constant(value(node));
    return fresh_jet(*node);
}

Jet Evaluator::fresh_jet(const Tree& node) {
    const auto part = [&](std::size_t i) { return jet(node.parts[i]); };
    switch (node.op) {
        case Op::name: return name_jet(node);
        case Op::select: {
            const Truth truth_here = truth(node.parts[0]);
            if (truth_here != Truth::maybe) return part(truth_here == Truth::yes ? 1 : 2);
            return broken(fresh_value(node));
        }
        case Op::clamp: return extreme(extreme(part(0), part(1), -1), part(2), 1);
        case Op::t5_bucket: return stepped(fresh_value(node), part(0));
        case Op::argmin:
        case Op::argmax: {
            const Number value_here = fresh_value(node);
            return value_here.exact() ? constant(value_here) : broken(value_here);
        }
        case Op::power: return power_jet(node);
        case Op::sum:
        case Op::product: return reduction_jet(node);
        case Op::integral: return integral_jet(node);
        case Op::lookup:
        case Op::text:
        case Op::call: return broken(fresh_value(node));
        default: break;
    }
    if (node.parts.size() == 1) return unary(node.op, part(0));
    return binary(node.op, part(0), part(1));
}

Jet Evaluator::power_jet(const Tree& node) {
    const Jet base = jet(node.parts[0]);
    const Number value_here = fresh_value(node);
    if (uses(*node.parts[1], along_)) {
        const Jet exponent = jet(node.parts[1]);
        const Interval x = base.value.interval();
        if (value_here.defined() != Truth::yes || x.lo.sign() <= 0) return broken(value_here);
        Jet result = product_of(exponent, logarithm(log(base.value), base, x, Interval::of(1, 1)));
        return exponential(value_here, result);
    }
    const Number exponent = value(node.parts[1]);
    if (value_here.defined() != Truth::yes) return broken(value_here);
    if (exponent.exact() && exponent.exact()->is_whole()) {
        const Rational n = *exponent.exact();
        if (n.sign() == 0) return constant(value_here);
        const Interval x = base.value.interval();
        const Rational before = n - Rational(1);
        const Interval factor = enclose(n);
        const Interval slope = factor * power(x, before.above());
        const bool is_linear = before.sign() == 0;
        const Interval bend =
            is_linear ? Interval::of(0, 0) : factor * enclose(before) * power(x, (before - Rational(1)).above());
        return composed(value_here, base, slope, bend);
    }
    const Interval c = exponent.interval();
    if (base.value.interval().lo.sign() < 0) return broken(value_here);
    if (c.lo.sign() > 0 || base.value.interval().lo.sign() > 0) return root(value_here, base, c);
    return broken(value_here);
}

Jet Evaluator::reduction_jet(const Tree& node) {
    const bool is_sum = node.op == Op::sum;
    const bool moves = uses(*node.parts[0], along_) || uses(*node.parts[1], along_);
    long from = 0;
    long to = 0;
    if (moves || !bounds(node, from, to)) return broken(fresh_value(node));
    Jet result = constant(Number(Rational(is_sum ? 0 : 1)));
    bound_.emplace_back(node.name, Number());
    for (long at = from; at <= to; ++at) {
        bound_.back().second = Number(Rational(at));
        const Jet term = jet(node.parts[2]);
        result = is_sum ? sum_of(result, term) : product_of(result, term);
    }
    bound_.pop_back();
    return result;
}

Jet Evaluator::name_jet(const Tree& node) {
    std::size_t at = bound_.size();
    while (at > 0 && bound_[at - 1].first != node.name) --at;
    if (at == 0) return {fresh_value(node), Interval::of(1, 1), Interval::of(0, 0), true, true};
    for (const auto& [place, jet] : moving_)
        if (place + 1 == at) return jet;
    return constant(fresh_value(node));
}

/// Substitutes a + (b - a) t for the variable, which depends on the bounds a and b, and integrates all components of
/// the jet over t.
Jet Evaluator::integral_jet(const Tree& node) {
    if (node.name == along_) return broken(fresh_value(node));
    const Jet from = jet(node.parts[0]);
    const Jet length = sum_of(jet(node.parts[1]), opposite(from));
    const Jet share = constant(Number(Rational(1, parts_of_jet)));
    Jet result = constant(Number(Rational(0)));
    for (unsigned long part = 0; part < parts_of_jet; ++part) {
        const Interval t{enclose(Rational(static_cast<long>(part), parts_of_jet)).lo,
                         enclose(Rational(static_cast<long>(part) + 1, parts_of_jet)).hi};
        const Jet variable = sum_of(from, product_of(constant(Number(t)), length));
        bound_.emplace_back(node.name, variable.value);
        moving_.emplace_back(bound_.size() - 1, variable);
        const Jet body = product_of(product_of(jet(node.parts[2]), length), share);
        moving_.pop_back();
        bound_.pop_back();
        result = sum_of(result, body);
        if (body.value.defined() != Truth::yes) return broken(Number::unknown());
    }
    parts_of_integrals_ += parts_of_jet;
    return result;
}

}  // namespace farfield::recheck
