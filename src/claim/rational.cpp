#include "claim/rational.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <cstdlib>

namespace farfield::claim {

using evaluate::Truth;
using formula::Kind;
using formula::Node;
using formula::Op;

namespace {

using Integer = boost::multiprecision::cpp_int;
using Rational = boost::multiprecision::cpp_rational;
using Value = std::optional<Rational>;

constexpr std::size_t most_bits = 100000;
constexpr int largest_exponent = 1024;

bool is_small(const Rational& x) {
    const Integer top = abs(numerator(x));
    const Integer bottom = denominator(x);
    return (top == 0 || msb(top) < most_bits) && msb(bottom) < most_bits;
}

Value checked(const Rational& x) {
    return is_small(x) ? Value(x) : std::nullopt;
}

Rational ten_to(int exponent) {
    const Integer power = pow(Integer(10), static_cast<unsigned>(std::abs(exponent)));
    return exponent < 0 ? Rational(1, power) : Rational(power);
}

/// A decimal as the language writes them: digits, point, exponent.
Value from_decimal(const std::string& text) {
    Integer digits = 0;
    int decimals = 0;
    bool after_point = false;
    std::size_t at = 0;
    for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
        if (text[at] == '.') {
            after_point = true;
            continue;
        }
        if (text[at] < '0' || text[at] > '9') return std::nullopt;
        digits = digits * 10 + (text[at] - '0');
        decimals += after_point;
    }
    const int exponent = at < text.size() ? std::atoi(text.c_str() + at + 1) : 0;
    if (std::abs(exponent) > 1000) return std::nullopt;
    return checked(Rational(digits) * ten_to(exponent - decimals));
}

Value from_double(double number) {
    return std::isfinite(number) ? Value(Rational(number)) : std::nullopt;
}

Integer floor_of(const Rational& x) {
    const Integer quotient = numerator(x) / denominator(x);
    const bool below = numerator(x) < 0 && quotient * denominator(x) != numerator(x);
    return below ? Integer(quotient - 1) : quotient;
}

Value power(const Rational& base, const Rational& exponent) {
    const bool whole = denominator(exponent) == 1 && abs(numerator(exponent)) <= largest_exponent;
    if (!whole || (base == 0 && exponent < 0) || !is_small(base)) return std::nullopt;
    const int count = static_cast<int>(numerator(exponent));
    const double bits = static_cast<double>(msb(Integer(abs(numerator(base)) + 1)) + msb(denominator(base)) + 2);
    if (bits * std::abs(count) > static_cast<double>(most_bits)) return std::nullopt;
    const unsigned times = static_cast<unsigned>(std::abs(count));
    const Rational raised(pow(numerator(base), times), pow(denominator(base), times));
    return count < 0 ? Rational(1) / raised : raised;
}

class Evaluator {
public:
    explicit Evaluator(const ExactValues& values) : values_(values) {}

    Truth condition(const Node& node) const {
        if (node->kind != Kind::operation) return Truth::unknown;
        const auto& parts = node->children;
        switch (node->op) {
            case Op::logical_not: return negated(condition(parts[0]));
            case Op::logical_and: return both(condition(parts[0]), condition(parts[1]));
            case Op::logical_or: return negated(both(negated(condition(parts[0])), negated(condition(parts[1]))));
            default: return comparison(node);
        }
    }

private:
    static Truth negated(Truth truth) {
        if (truth == Truth::unknown) return truth;
        return truth == Truth::yes ? Truth::no : Truth::yes;
    }
    static Truth both(Truth a, Truth b) {
        if (a == Truth::no || b == Truth::no) return Truth::no;
        return a == Truth::yes && b == Truth::yes ? Truth::yes : Truth::unknown;
    }

    Truth comparison(const Node& node) const {
        if (formula::row(node->op).arguments != "rr") return Truth::unknown;
        const Value a = real(node->children[0]);
        const Value b = real(node->children[1]);
        if (!a || !b) return Truth::unknown;
        const auto truth = [](bool holds) { return holds ? Truth::yes : Truth::no; };
        switch (node->op) {
            case Op::less: return truth(*a < *b);
            case Op::less_equal: return truth(*a <= *b);
            case Op::greater: return truth(*a > *b);
            case Op::greater_equal: return truth(*a >= *b);
            case Op::equals: return truth(*a == *b);
            case Op::differs: return truth(*a != *b);
            default: return Truth::unknown;
        }
    }

    Value real(const Node& node) const {
        switch (node->kind) {
            case Kind::number: return from_decimal(node->text);
            case Kind::name: return exact(values_.value(node->text));
            case Kind::index: return lookup(*node);
            case Kind::operation: return operation(*node);
            default: return std::nullopt;
        }
    }

    static Value exact(std::optional<double> number) { return number ? from_double(*number) : std::nullopt; }

    Value lookup(const formula::Tree& node) const {
        const Value index = real(node.children[0]);
        if (!index || denominator(*index) != 1) return std::nullopt;
        return exact(values_.entry(node.text, index->convert_to<double>()));
    }

    Value operation(const formula::Tree& node) const {
        if (node.op == Op::select) {
            const Truth truth = condition(node.children[0]);
            if (truth == Truth::unknown) return std::nullopt;
            return real(node.children[truth == Truth::yes ? 1 : 2]);
        }
        std::vector<Rational> x;
        for (const Node& child : node.children) {
            if (formula::row(node.op).arguments.find('b') != std::string_view::npos) return std::nullopt;
            const Value value = real(child);
            if (!value) return std::nullopt;
            x.push_back(*value);
        }
        return x.size() == 1 ? unary(node.op, x[0]) : x.size() == 2 ? binary(node.op, x[0], x[1]) : std::nullopt;
    }

    static Value unary(Op op, const Rational& x) {
        switch (op) {
            case Op::negate: return Rational(-x);
            case Op::absolute: return Rational(abs(x));
            case Op::floor: return Rational(floor_of(x));
            case Op::ceiling: return Rational(-floor_of(Rational(-x)));
            case Op::sign: return Rational(x < 0 ? -1 : x > 0 ? 1 : 0);
            default: return std::nullopt;
        }
    }

    static Value binary(Op op, const Rational& a, const Rational& b) {
        switch (op) {
            case Op::add: return checked(a + b);
            case Op::subtract: return checked(a - b);
            case Op::multiply: return checked(a * b);
            case Op::divide: return b == 0 ? std::nullopt : checked(a / b);
            case Op::modulo: return b == 0 ? std::nullopt : checked(a - b * Rational(floor_of(a / b)));
            case Op::power: return power(a, b);
            case Op::minimum: return a < b ? a : b;
            case Op::maximum: return a < b ? b : a;
            default: return std::nullopt;
        }
    }

    const ExactValues& values_;
};

}  // namespace

Truth decide_exactly(const Node& tree, const ExactValues& values) {
    return Evaluator(values).condition(tree);
}

}  // namespace farfield::claim
