// Converts products of sines and cosines to sums, so that trigonometric identities become equality of normal forms.
#include <farfield/formula/tree.hpp>

#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

bool is_wave(const Factor& factor) {
    return factor.base->kind == AtomKind::operation && !factor.base->infinite &&
           (factor.base->op == Op::sine || factor.base->op == Op::cosine);
}

/// The exponent of the factor, if it is a sine or cosine to a positive integer power.
Rational times(const Factor& factor) {
    const auto power = is_wave(factor) ? Algebra::constant(factor.exponent) : std::nullopt;
    return power && is_integer(*power) && *power > 0 ? *power : Rational(0);
}

Expr wave(Op op, const Expr& angle, Algebra& algebra) {
    return normalise(make(op, {rebuild(angle)}), algebra);
}

/// cos a cos b = (cos(a - b) + cos(a + b))/2, sin a sin b = (cos(a - b) - cos(a + b))/2, sin a cos b = (sin(a + b) +
/// sin(a - b))/2.
Expr product_to_sum(const Atom& a, const Atom& b, Algebra& algebra) {
    const bool a_is_sine = a.op == Op::sine;
    const bool b_is_sine = b.op == Op::sine;
    const Op op = a_is_sine == b_is_sine ? Op::cosine : Op::sine;
    // The sine, if there is one, counts as first.
    const Expr& first = a_is_sine ? a.arguments[0] : b.arguments[0];
    const Expr& second = a_is_sine ? b.arguments[0] : a.arguments[0];
    const Expr difference = wave(op, algebra.subtract(first, second), algebra);
    const Expr sum = wave(op, algebra.add(first, second), algebra);
    const bool both = a_is_sine && b_is_sine;
    return algebra.scale(both ? algebra.subtract(difference, sum) : algebra.add(difference, sum), Rational(1, 2));
}

/// Takes one power of the first sine or cosine out of the term.
std::optional<AtomPointer> take_wave(Term& term, Algebra& algebra) {
    for (std::size_t at = 0; at < term.factors.size(); ++at) {
        const Rational power = times(term.factors[at]);
        if (power == 0) continue;
        const AtomPointer atom = term.factors[at].base;
        if (power == 1)
            term.factors.erase(term.factors.begin() + static_cast<std::ptrdiff_t>(at));
        else
            term.factors[at].exponent = algebra.number(power - 1);
        return atom;
    }
    return std::nullopt;
}

}  // namespace

Expr without_wave_products(Expr expression, Algebra& algebra) {
    for (bool changed = true; changed;) {
        changed = false;
        Expr result = algebra.number(0);
        for (const Term& term : expression->terms) {
            Term rest = term;
            const auto first = take_wave(rest, algebra);
            const auto second = first ? take_wave(rest, algebra) : std::nullopt;
            if (!second) {
                result = algebra.add(result, std::make_shared<const Sum>(Sum{{term}, term.infinite}));
                continue;
            }
            const Expr others = std::make_shared<const Sum>(Sum{{rest}, rest.infinite});
            result = algebra.add(result, algebra.multiply(others, product_to_sum(**first, **second, algebra)));
            changed = true;
        }
        expression = result;
    }
    return expression;
}

}  // namespace farfield::formula::normal
