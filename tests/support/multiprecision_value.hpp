// A formula's value in multiprecision, straight from the tree: an evaluator of tests alone, written apart from the
// program's.
#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>
#include <farfield/numerics/multiprecision.hpp>
#include <farfield/numerics/rounding.hpp>

namespace farfield::tests {

class MultiprecisionValue {
public:
    using Number = numerics::Multiprecision;

    MultiprecisionValue(int digits, std::map<std::string, Number> values)
        : digits_(digits), values_(std::move(values)) {}

    Number of(const formula::Node& tree) {
        const Number found = computed(tree);
        all_finite_ = all_finite_ && !found.is_nan() && !found.is_infinite();
        return found;
    }

    /// Whether every part of what was evaluated so far was finite.
    bool all_finite() const { return all_finite_; }

    /// Whether some part was a remainder by a number 2^53 times smaller: it jumps at distances that no step resolves.
    bool has_fine_remainder() const { return has_fine_remainder_; }

private:
    using Op = formula::Op;
    using Node = formula::Node;

    Number computed(const formula::Node& tree) {
        switch (tree->kind) {
            case formula::Kind::number: return Number::from_text(tree->text, digits_);
            case formula::Kind::name: return name(tree->text);
            case formula::Kind::operation: return operation(tree->op, tree->children);
            case formula::Kind::reduction: return reduction(*tree);
            default: throw std::invalid_argument("a node that has no value: " + tree->text);
        }
    }

    Number number(double value) const { return Number(value, digits_); }
    Number truth(bool value) const { return number(value ? 1 : 0); }
    static bool is_true(const Number& value) { return value.to_double() != 0; }

    Number name(const std::string& text) const {
        if (text == "pi") return Number::pi(digits_);
        if (text == "e") return Number::e(digits_);
        if (text == "inf") return number(1) / number(0);
        return values_.at(text);
    }

    Number operation(Op op, const std::vector<Node>& children) {
        if (op == Op::select) return of(children[is_true(of(children[0])) ? 1 : 2]);
        std::vector<Number> x;
        for (const Node& child : children) x.push_back(of(child));
        return x.size() == 1 ? unary(op, x[0]) : x.size() == 2 ? binary(op, x[0], x[1]) : ternary(op, x);
    }

    Number unary(Op op, const Number& x) {
        switch (op) {
            case Op::negate: return -x;
            case Op::logical_not: return truth(!is_true(x));
            case Op::absolute: return abs(x);
            case Op::square_root: return sqrt(x);
            case Op::floor: return floor(x);
            case Op::ceiling: return ceil(x);
            case Op::round: return round(x);
            case Op::sign: return sign(x);
            case Op::softplus: return softplus(x);
            case Op::sigmoid: return sigmoid(x);
            case Op::sine_integral: return sine_integral(x);
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    case Op::name:                                                \
        return stem(x);
#include <farfield/numerics/functions.def>
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    case Op::to_##name:                                                     \
        return number(numerics::round_to(numerics::known::name, x));
#include <farfield/numerics/formats.def>
            default: throw std::invalid_argument("no operator of one argument");
        }
    }

    Number binary(Op op, const Number& a, const Number& b) {
        switch (op) {
            case Op::add: return a + b;
            case Op::subtract: return a - b;
            case Op::multiply: return a * b;
            case Op::divide: return a / b;
            case Op::modulo:
                if (abs(a) > abs(b) * number(0x1p53)) has_fine_remainder_ = true;
                return mod(a, b);
            case Op::power: return pow(a, b);
            case Op::less: return truth(a < b);
            case Op::less_equal: return truth(a <= b);
            case Op::greater: return truth(a > b);
            case Op::greater_equal: return truth(a >= b);
            case Op::equals: return truth(a == b);
            case Op::differs: return truth(!(a == b));
            case Op::logical_and: return truth(is_true(a) && is_true(b));
            case Op::logical_or: return truth(is_true(a) || is_true(b));
            case Op::arctangent:
                // Without a value where both are 0; a law may change the sign of a zero.
                if (a.to_double() == 0 && b.to_double() == 0) all_finite_ = false;
                return atan2(a, b);
            case Op::minimum: return min(a, b);
            case Op::maximum: return max(a, b);
            case Op::binomial: return binomial(a, b);
            default: throw std::invalid_argument("no operator of two arguments");
        }
    }

    Number ternary(Op op, const std::vector<Number>& x) {
        if (op == Op::clamp) return clamp(x[0], x[1], x[2]);
        if (op != Op::t5_bucket) throw std::invalid_argument("no operator of three arguments");
        const Number half = floor(x[1] / number(2));
        if (x[0] < half) return max(floor(x[0]), number(0));
        const Number steps = log(x[0] / half) / log(x[2] / half) * (x[1] - half);
        return min(half + floor(steps), x[1] - number(1));
    }

    /// The first variable with the best body; NaN over none and for a body that is NaN.
    Number choice(const formula::Tree& tree, double from, double to) {
        Number chosen = number(std::nan(""));
        std::optional<Number> best;
        for (double at = from; at <= to; ++at) {
            values_.insert_or_assign(tree.text, number(at));
            const Number body = of(tree.children[2]);
            if (body.is_nan()) return body;
            if (best && !(tree.op == Op::argmin ? body < *best : body > *best)) continue;
            best = body;
            chosen = number(at);
        }
        return chosen;
    }

    Number reduction(const formula::Tree& tree) {
        const double from = of(tree.children[0]).to_double();
        const double to = of(tree.children[1]).to_double();
        const bool is_product = tree.op == Op::product || tree.op == Op::for_all;
        Number total = number(is_product ? 1 : 0);
        const auto outside = values_;
        if (formula::row(tree.op).choice) {
            total = choice(tree, from, to);
            values_ = outside;
            return total;
        }
        for (double at = from; at <= to; ++at) {
            values_.insert_or_assign(tree.text, number(at));
            total = folded(tree.op, total, of(tree.children[2]));
        }
        values_ = outside;
        return total;
    }

    Number folded(Op op, const Number& total, const Number& value) {
        switch (op) {
            case Op::sum: return total + value;
            case Op::product: return total * value;
            case Op::for_all: return truth(is_true(total) && is_true(value));
            default: return truth(is_true(total) || is_true(value));
        }
    }

    int digits_;
    bool all_finite_ = true;
    bool has_fine_remainder_ = false;
    std::map<std::string, Number> values_;
};

}  // namespace farfield::tests
