#include "recheck/algebra.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "recheck/substitute.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_terms = 20'000;
constexpr long largest_power = 64;
constexpr long most_summands = 64;

/// a + b i.
struct Complex {
    Rational real;
    Rational imaginary;

    bool is_zero() const { return real.sign() == 0 && imaginary.sign() == 0; }
};

Complex operator+(const Complex& a, const Complex& b) {
    return {a.real + b.real, a.imaginary + b.imaginary};
}

Complex operator*(const Complex& a, const Complex& b) {
    return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}

Complex inverse(const Complex& a) {
    const Rational size = a.real * a.real + a.imaginary * a.imaginary;
    return {a.real / size, -a.imaginary / size};
}

struct Term;
/// Terms by the text of their factors, so that like terms are combined.
using Sum = std::map<std::string, Term>;

/// factor * product of names to whole powers * exp(exponent).
struct Term {
    Complex factor;
    std::map<std::string, long> powers;
    std::shared_ptr<const Sum> exponent;  ///< never null; empty for exp(0)
};

std::string key_of(const Sum& sum);

std::string key_of(const Term& term) {
    std::string key;
    for (const auto& [name, power] : term.powers) key += name + "^" + std::to_string(power) + " ";
    if (!term.exponent->empty()) key += "exp(" + key_of(*term.exponent) + ")";
    return key;
}

std::string key_of(const Sum& sum) {
    std::string key;
    for (const auto& [name, term] : sum)
        key += "+(" + text(term.factor.real) + "," + text(term.factor.imaginary) + ")" + name;
    return key;
}

void add(Sum& sum, Term term) {
    const std::string key = key_of(term);
    const auto found = sum.find(key);
    if (found == sum.end()) {
        if (sum.size() >= most_terms) throw Unprovable("a product of too many terms");
        if (!term.factor.is_zero()) sum.emplace(key, std::move(term));
        return;
    }
    found->second.factor = found->second.factor + term.factor;
    if (found->second.factor.is_zero()) sum.erase(found);
}

std::shared_ptr<const Sum> nothing() {
    static const auto empty = std::make_shared<const Sum>();
    return empty;
}

Sum constant(const Complex& value) {
    Sum sum;
    add(sum, {value, {}, nothing()});
    return sum;
}

Sum constant(const Rational& value) {
    return constant(Complex{value, Rational(0)});
}

Sum named(const std::string& name) {
    Sum sum;
    add(sum, {{Rational(1), Rational(0)}, {{name, 1}}, nothing()});
    return sum;
}

Sum operator+(const Sum& a, const Sum& b) {
    Sum sum = a;
    for (const auto& [key, term] : b) add(sum, term);
    return sum;
}

Term product(const Term& a, const Term& b) {
    Term term{a.factor * b.factor, a.powers, a.exponent};
    for (const auto& [name, power] : b.powers) {
        term.powers[name] += power;
        if (term.powers[name] == 0) term.powers.erase(name);
    }
    if (!b.exponent->empty()) term.exponent = std::make_shared<const Sum>(*a.exponent + *b.exponent);
    return term;
}

Sum operator*(const Sum& a, const Sum& b) {
    if (a.size() * b.size() > most_terms) throw Unprovable("a product of too many terms");
    Sum sum;
    for (const auto& [left, one] : a)
        for (const auto& [right, other] : b) add(sum, product(one, other));
    return sum;
}

bool is_one(const Sum& sum) {
    return sum.size() == 1 && sum.begin()->first.empty() && sum.begin()->second.factor.real == Rational(1) &&
           sum.begin()->second.factor.imaginary.sign() == 0;
}

/// The fraction above/below; below is never empty.
struct Fraction {
    Sum above;
    Sum below;
};

/// The inverse of a single term.
Term inverse(const Term& term) {
    Term result{inverse(term.factor), {}, nothing()};
    for (const auto& [name, power] : term.powers) result.powers[name] = -power;
    if (!term.exponent->empty()) result.exponent = std::make_shared<const Sum>(*term.exponent * constant(Rational(-1)));
    return result;
}

/// The same fraction, with a denominator of one term multiplied into the numerator.
Fraction reduced(Fraction fraction) {
    if (fraction.below.size() != 1 || is_one(fraction.below)) return fraction;
    Sum factor;
    add(factor, inverse(fraction.below.begin()->second));
    return {fraction.above * factor, constant(Rational(1))};
}

Fraction whole(Sum sum) {
    return {std::move(sum), constant(Rational(1))};
}

Fraction plus(const Fraction& a, const Fraction& b) {
    if (is_one(a.below) && is_one(b.below)) return whole(a.above + b.above);
    return {a.above * b.below + b.above * a.below, a.below * b.below};
}

Fraction times(const Fraction& a, const Fraction& b) {
    return reduced({a.above * b.above, a.below * b.below});
}

Fraction by(const Fraction& a, const Fraction& b) {
    if (b.above.empty()) throw Unprovable("a division by zero");
    return reduced({a.above * b.below, a.below * b.above});
}

/// The exponential of a sum.
Sum exponential(const Sum& exponent) {
    Sum sum;
    add(sum, {{Rational(1), Rational(0)}, {}, std::make_shared<const Sum>(exponent)});
    return sum;
}

class Expander {
public:
    Fraction expand(const Node& node) {
        const auto part = [&](std::size_t i) { return expand(node->parts[i]); };
        switch (node->op) {
            case Op::number: return whole(constant(node->value));
            case Op::name: return name(*node);
            case Op::add: return plus(part(0), part(1));
            case Op::subtract: return plus(part(0), times(whole(constant(Rational(-1))), part(1)));
            case Op::negate: return times(whole(constant(Rational(-1))), part(0));
            case Op::multiply: return times(part(0), part(1));
            case Op::divide: return by(part(0), part(1));
            case Op::power: return power_of(part(0), part(1));
            case Op::exp: return exponential_of(part(0), *node);
            case Op::cos: return wave(part(0), *node, false);
            case Op::sin: return wave(part(0), *node, true);
            case Op::sum: return sum_of(*node);
            default: return opaque(*node);
        }
    }

private:
    static Fraction name(const Tree& node) {
        if (node.name == "inf") throw Unprovable("infinity in an identity");
        if (node.name == "e") return whole(exponential(constant(Rational(1))));
        return whole(named(node.name));
    }

    /// A function as a new name: equal functions of equal arguments are equal.
    Fraction opaque(const Tree& node) {
        if (is_condition(node) || node.op == Op::select || node.op == Op::product)
            throw Unprovable("no algebra for this formula");
        std::string key = "#" + std::to_string(static_cast<int>(node.op)) + "{";
        for (const Node& child : node.parts) {
            const Fraction argument = expand(child);
            key += key_of(argument.above) + "/" + key_of(argument.below) + ";";
        }
        return whole(named(key + "}"));
    }

    Fraction exponential_of(const Fraction& exponent, const Tree& node) {
        return is_one(exponent.below) ? whole(exponential(exponent.above)) : opaque(node);
    }

    /// cos x = (exp(ix) + exp(-ix))/2 and sin x = (exp(ix) - exp(-ix))/2i.
    Fraction wave(const Fraction& argument, const Tree& node, bool is_sine) {
        if (!is_one(argument.below)) return opaque(node);
        const Sum turned = argument.above * constant(Complex{Rational(0), Rational(1)});
        const Sum back = argument.above * constant(Complex{Rational(0), Rational(-1)});
        const Rational half(1, 2UL);
        const Complex first = is_sine ? Complex{Rational(0), -half} : Complex{half, Rational(0)};
        const Complex second = is_sine ? Complex{Rational(0), half} : first;
        return whole(exponential(turned) * constant(first) + exponential(back) * constant(second));
    }

    static bool is_real(const Sum& sum) {
        for (const auto& [key, term] : sum)
            if (term.factor.imaginary.sign() != 0 || !is_real(*term.exponent)) return false;
        return true;
    }

    static std::optional<Rational> number(const Fraction& fraction) {
        if (!is_one(fraction.below)) return std::nullopt;
        if (fraction.above.empty()) return Rational(0);
        const Term& term = fraction.above.begin()->second;
        const bool is_constant = fraction.above.size() == 1 && term.powers.empty() && term.exponent->empty() &&
                                 term.factor.imaginary.sign() == 0;
        return is_constant ? std::optional(term.factor.real) : std::nullopt;
    }

    Fraction power_of(const Fraction& base, const Fraction& exponent) {
        const std::optional<Rational> fixed = number(exponent);
        const std::optional<long> count = fixed ? whole_number(*fixed) : std::nullopt;
        if (count && *count >= -largest_power && *count <= largest_power) return whole_power(base, *count);
        if (!is_one(exponent.below) || !is_real(exponent.above)) throw Unprovable("no algebra for this power");
        // Positive for all real values of names: a positive number times exp of a real exponent.
        const bool is_single = is_one(base.below) && base.above.size() == 1;
        if (!is_single) throw Unprovable("no algebra for this power");
        const Term& term = base.above.begin()->second;
        const bool is_positive = term.powers.empty() && term.factor.imaginary.sign() == 0 &&
                                 term.factor.real.sign() > 0 && is_real(*term.exponent);
        if (!is_positive) throw Unprovable("no algebra for this power");
        Sum logarithm = *term.exponent;
        if (!(term.factor.real == Rational(1))) logarithm = logarithm + named("#log{" + text(term.factor.real) + "}");
        return whole(exponential(logarithm * exponent.above));
    }

    static Fraction whole_power(const Fraction& base, long count) {
        Fraction result = whole(constant(Rational(1)));
        for (long i = 0; i < std::abs(count); ++i) result = times(result, base);
        return count < 0 ? by(whole(constant(Rational(1))), result) : result;
    }

    Fraction sum_of(const Tree& node) {
        const auto from = number(expand(node.parts[0]));
        const auto to = number(expand(node.parts[1]));
        const auto first = from ? whole_number(*from) : std::nullopt;
        const auto last = to ? whole_number(*to) : std::nullopt;
        const bool is_known = first.has_value() && last.has_value();
        if (!is_known || last.value() - first.value() >= most_summands) throw Unprovable("no algebra for this sum");
        Fraction result = whole(Sum());
        for (long at = first.value(); at <= last.value(); ++at)
            result = plus(result, expand(substituted(node.parts[2], {{node.name, make_number(Rational(at))}})));
        return result;
    }
};

}  // namespace

bool are_equal(const Node& left, const Node& right) try {
    Expander expander;
    const Fraction a = expander.expand(left);
    const Fraction b = expander.expand(right);
    const Sum difference = a.above * b.below + b.above * a.below * constant(Rational(-1));
    return difference.empty();
} catch (const Unprovable&) {
    return false;
}

}  // namespace farfield::recheck
