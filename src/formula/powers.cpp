// Powers, exponentials and logarithms of expressions. Each law holds wherever its left side has a finite value.
#include <algorithm>

#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

constexpr int largest_folded_power = 512;
constexpr int largest_prime = 1000;

/// The base must not be zero.
Rational whole_power(const Rational& base, const Integer& exponent) {
    if (abs(exponent) > largest_folded_power) throw GivenUp();
    const auto count = static_cast<unsigned>(abs(exponent));
    // A longer result would be refused anyway, but computing powers of long numbers takes too long.
    const auto least_bits = [&](const Integer& part) { return count * msb(Integer(abs(part))); };
    if (std::max(least_bits(numerator(base)), least_bits(denominator(base))) > longest_rational) throw GivenUp();
    const Integer above = pow(Integer(numerator(base)), count);
    const Integer below = pow(Integer(denominator(base)), count);
    const Rational power = Rational(above) / Rational(below);
    return exponent < 0 ? Rational(1 / power) : power;
}

/// The square root of a rational, if it is rational.
std::optional<Rational> rational_root(const Rational& value) {
    if (value < 0) return std::nullopt;
    const Integer above = sqrt(Integer(numerator(value)));
    const Integer below = sqrt(Integer(denominator(value)));
    if (above * above != numerator(value) || below * below != denominator(value)) return std::nullopt;
    return Rational(above, below);
}

bool is_whole(const Expr& a) {
    const auto value = Algebra::constant(a);
    return value && is_integer(*value);
}

bool is_broken(const Expr& a) {
    const auto value = Algebra::constant(a);
    return value && !is_integer(*value);
}

bool is_even(const Expr& a) {
    const auto value = Algebra::constant(a);
    return value && is_integer(*value) && numerator(*value) % 2 == 0;
}

Expr alone(const Factor& factor) {
    auto sum = std::make_shared<Sum>();
    sum->infinite = factor.base->infinite || factor.exponent->infinite;
    sum->terms.push_back({1, {factor}, sum->infinite});
    return sum;
}

/// The base of a factor as an expression.
Expr base_of(const Factor& factor) {
    if (factor.base->kind == AtomKind::sum) return factor.base->arguments[0];
    auto sum = std::make_shared<Sum>();
    sum->infinite = factor.base->infinite;
    if (factor.base->kind == AtomKind::number) {
        sum->terms.push_back({factor.base->value, {}});
        return sum;
    }
    auto one = std::make_shared<Sum>();
    one->terms.push_back({1, {}});
    sum->terms.push_back({1, {{factor.base, one}}, sum->infinite});
    return sum;
}

AtomPointer number_atom(const Rational& value) {
    Atom atom;
    atom.kind = AtomKind::number;
    atom.value = value;
    return std::make_shared<const Atom>(std::move(atom));
}

AtomPointer sum_atom(const Expr& sum) {
    Atom atom;
    atom.kind = AtomKind::sum;
    atom.infinite = sum->infinite;
    atom.arguments = {sum};
    return std::make_shared<const Atom>(std::move(atom));
}

/// The primes of a positive rational with their exponents; the remaining factor comes last.
std::vector<std::pair<Rational, int>> primes_of(const Rational& value) {
    std::vector<std::pair<Rational, int>> primes;
    Integer above = numerator(value);
    Integer below = denominator(value);
    for (int prime = 2; prime <= largest_prime && (above > 1 || below > 1); ++prime) {
        int count = 0;
        for (; above % prime == 0; above /= prime) ++count;
        for (; below % prime == 0; below /= prime) --count;
        if (count != 0) primes.emplace_back(Rational(prime), count);
    }
    if (above > 1) primes.emplace_back(Rational(above), 1);
    if (below > 1) primes.emplace_back(Rational(below), -1);
    return primes;
}

}  // namespace

Expr Algebra::power(const Expr& base, const Expr& exponent) {
    if (base->infinite || exponent->infinite) return operation(Op::power, {base, exponent});
    const auto fixed = constant(exponent);
    if (fixed && *fixed == 0) return number(1);
    if (fixed && *fixed == 1) return base;
    if (const auto value = constant(base)) return power_of_constant(*value, exponent);
    if (base->terms.size() == 1) return power_of_term(base->terms[0], exponent);
    return power_of_sum(base, exponent);
}

Expr Algebra::primes_to_power(const Rational& base, const Expr& exponent) {
    const auto primes = primes_of(base);
    Expr result = number(1);
    for (const auto& [prime, count] : primes) {
        result = multiply(result, from_factor({number_atom(prime), scale(exponent, count)}));
    }
    return result;
}

Expr Algebra::power_of_constant(const Rational& base, const Expr& exponent) {
    const auto fixed = constant(exponent);
    if (base == 1) return number(1);
    if (base == 0) {
        if (fixed && *fixed > 0) return number(0);
        if (!fixed) return operation(Op::power, {number(0), exponent});
        return divide(number(1), number(0));
    }
    if (fixed && is_integer(*fixed)) return number(whole_power(base, numerator(*fixed)));
    const bool is_half = fixed && denominator(*fixed) == 2;
    if (const auto root = is_half ? rational_root(base) : std::nullopt) {
        return number(whole_power(*root, numerator(*fixed)));
    }
    if (expands() && base > 0) return primes_to_power(base, exponent);
    const bool is_inverse = numerator(base) == 1;
    if (is_inverse) return from_factor({number_atom(1 / base), scale(exponent, -1)});
    return from_factor({number_atom(base), exponent});
}

Expr Algebra::whole_power_of_term(const Term& term, const Rational& exponent) {
    Expr result = number(whole_power(term.coefficient, numerator(exponent)));
    for (const Factor& factor : term.factors) {
        const Expr scaled = scale(factor.exponent, exponent);
        const bool is_euler = factor.base->kind == AtomKind::euler;
        result = multiply(result, is_euler ? exponential(scaled) : from_factor({factor.base, scaled}));
    }
    return result;
}

/// (c f g ...)^E: positive factors may be moved out of the power, the others may not (the root of x*y is not the root
/// of x times that of y). With a variable exponent, this is done only if the result serves a decision: e^E could
/// overflow where (e*0)^E does not.
Expr Algebra::power_of_term(const Term& term, const Expr& exponent) {
    const auto fixed = constant(exponent);
    if (fixed && is_integer(*fixed)) return whole_power_of_term(term, *fixed);
    if (!fixed && !expands()) return power_of_rest(term, exponent);
    const Rational size = abs(term.coefficient);
    Term rest{term.coefficient / size, {}};
    Expr outside = power_of_constant(size, exponent);
    for (const Factor& factor : term.factors) {
        const Expr base = base_of(factor);
        if (!is_positive(base)) {
            rest.factors.push_back(factor);
            continue;
        }
        const Expr scaled = multiply(factor.exponent, exponent);
        const bool is_euler = factor.base->kind == AtomKind::euler;
        outside = multiply(outside, is_euler ? exponential(scaled) : from_factor({factor.base, scaled}));
    }
    return multiply(outside, power_of_rest(rest, exponent));
}

Expr Algebra::power_of_rest(const Term& rest, const Expr& exponent) {
    if (rest.factors.empty()) return power_of_constant(rest.coefficient, exponent);
    if (rest.coefficient == 1 && rest.factors.size() == 1) {
        const Factor& only = rest.factors[0];
        const auto own = constant(only.exponent);
        const bool is_plain = own && *own == 1;
        if (is_plain || is_broken(only.exponent) || is_nonnegative(base_of(only))) {
            const Expr scaled = multiply(only.exponent, exponent);
            return only.base->kind == AtomKind::euler ? exponential(scaled) : from_factor({only.base, scaled});
        }
        if (is_even(only.exponent)) {
            return power(absolute(base_of(only)), multiply(only.exponent, exponent));
        }
    }
    // A sum with a sign, after positive factors were moved out: the sign belongs to its terms.
    const bool is_sum = rest.factors.size() == 1 && rest.factors[0].base->kind == AtomKind::sum;
    const auto own = is_sum ? constant(rest.factors[0].exponent) : std::nullopt;
    if (own && *own == 1) return power(scale(rest.factors[0].base->arguments[0], rest.coefficient), exponent);
    return from_factor({sum_atom(sum_of({rest})), exponent});
}

Expr Algebra::power_of_sum(const Expr& base, const Expr& exponent) {
    const bool is_whole_power = is_whole(exponent);
    if (!is_whole_power && !expands()) return from_factor({sum_atom(base), exponent});
    Rational outside = content(base);
    if (is_whole_power && turns(base)) outside = -outside;
    const Expr inside = scale(base, 1 / outside);
    return multiply(power_of_constant(outside, exponent), from_factor({sum_atom(inside), exponent}));
}

/// e^exponent; logarithms in the exponent become powers.
Expr Algebra::exponential(const Expr& exponent) {
    if (exponent->infinite) return operation(Op::exponential, {exponent});
    std::vector<Term> remaining;
    Expr result = number(1);
    for (const Term& term : exponent->terms) {
        const auto found = std::find_if(term.factors.begin(), term.factors.end(), [](const Factor& factor) {
            const auto power = constant(factor.exponent);
            return factor.base->kind == AtomKind::operation && factor.base->op == Op::logarithm && power && *power == 1;
        });
        if (found == term.factors.end()) {
            remaining.push_back(term);
            continue;
        }
        Term others = term;
        others.factors.erase(others.factors.begin() + (found - term.factors.begin()));
        result = multiply(result, power(found->base->arguments[0], sum_of({others})));
    }
    if (remaining.empty()) return result;
    Atom euler;
    euler.kind = AtomKind::euler;
    const Factor factor{std::make_shared<const Atom>(std::move(euler)), sum_of(std::move(remaining))};
    const Expr power_of_e = alone(factor);
    return constant(result) ? scale(power_of_e, *constant(result)) : multiply(result, power_of_e);
}

Expr Algebra::logarithm_of_base(const Factor& factor) {
    return factor.base->kind == AtomKind::euler ? number(1) : operation(Op::logarithm, {base_of(factor)});
}

/// log(c f^a g ...) with positive factors moved out; only for decisions.
Expr Algebra::logarithm_of_term(const Term& term) {
    Term rest{1, {}};
    Expr result = number(0);
    const Rational size = abs(term.coefficient);
    rest.coefficient = term.coefficient / size;
    for (const auto& [prime, count] : primes_of(size)) {
        result = add(result, scale(operation(Op::logarithm, {number(prime)}), count));
    }
    for (const Factor& factor : term.factors) {
        const Expr base = base_of(factor);
        const bool leaves = is_positive(base) || (term.factors.size() == 1 && rest.coefficient == 1 &&
                                                  (is_broken(factor.exponent) || is_nonnegative(base)));
        if (leaves) {
            result = add(result, multiply(factor.exponent, logarithm_of_base(factor)));
        } else if (is_even(factor.exponent) && term.factors.size() == 1 && rest.coefficient == 1) {
            result = add(result, multiply(factor.exponent, operation(Op::logarithm, {absolute(base)})));
        } else {
            rest.factors.push_back(factor);
        }
    }
    if (rest.factors.empty() && rest.coefficient == 1) return result;
    return add(result, operation(Op::logarithm, {sum_of({rest})}));
}

Expr Algebra::logarithm(const Expr& of) {
    if (const auto value = constant(of); value && *value == 1) return number(0);
    if (of->terms.size() == 1 && !of->infinite) {
        const Term& term = of->terms[0];
        const bool is_power_of_e =
            term.coefficient == 1 && term.factors.size() == 1 && term.factors[0].base->kind == AtomKind::euler;
        if (is_power_of_e) return term.factors[0].exponent;
        if (expands() && term.coefficient != 0) return logarithm_of_term(term);
    }
    if (expands() && of->terms.size() > 1 && !of->infinite) {
        const Rational outside = content(of);
        if (outside != 1) return add(logarithm(number(outside)), operation(Op::logarithm, {scale(of, 1 / outside)}));
    }
    return operation(Op::logarithm, {of});
}

Expr Algebra::absolute(const Expr& of) {
    if (const auto value = constant(of)) return number(abs(*value));
    if (is_nonnegative(of)) return of;
    if (of->terms.size() == 1 && !of->infinite) {
        const Rational size = abs(of->terms[0].coefficient);
        const Expr inside = scale(of, 1 / of->terms[0].coefficient);
        if (is_nonnegative(inside)) return scale(inside, size);
        return scale(operation(Op::absolute, {inside}), size);
    }
    return operation(Op::absolute, {turns(of) ? scale(of, -1) : of});
}

}  // namespace farfield::formula::normal
