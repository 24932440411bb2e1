// Order, sums and products of expressions.
#include <algorithm>

#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

constexpr std::size_t most_work = 500'000;
constexpr std::size_t most_terms = 4000;
constexpr int largest_whole_power = 64;

int sign_of(int value) {
    return (value > 0) - (value < 0);
}

void check_size(const Rational& value) {
    const Integer above = abs(numerator(value));
    const Integer below = denominator(value);
    const bool is_long = (above != 0 && msb(above) > longest_rational) || msb(below) > longest_rational;
    if (is_long) throw GivenUp();
}

/// Machine words of the longer part of a rational.
std::size_t length_of(const Rational& value) {
    constexpr unsigned word = 64;
    const Integer above = abs(numerator(value));
    const std::size_t bits = std::max(above == 0 ? 0 : msb(above), msb(Integer(denominator(value))));
    return 1 + bits / word;
}

/// The work of adding or multiplying two rationals: some greatest common divisors, each of which takes the
/// time of several comparisons.
std::size_t work_of(const Rational& a, const Rational& b) {
    constexpr std::size_t divisor = 8;
    return divisor * length_of(a) * length_of(b);
}

/// The work of copying a term.
std::size_t size_of(const Term& term) {
    return length_of(term.coefficient) + term.factors.size();
}

bool is_one(const Expr& a) {
    return a->terms.size() == 1 && a->terms[0].factors.empty() && a->terms[0].coefficient == 1;
}

/// The constant term of a sum, 0 if it has none.
Rational constant_term(const Expr& a) {
    for (const Term& term : a->terms) {
        if (term.factors.empty()) return term.coefficient;
    }
    return 0;
}

bool has_even_exponent(const Factor& factor) {
    const auto exponent = Algebra::constant(factor.exponent);
    return exponent && is_integer(*exponent) && numerator(*exponent) % 2 == 0;
}

bool is_positive_atom(const Atom& atom) {
    switch (atom.kind) {
        case AtomKind::number: return atom.value > 0;
        case AtomKind::euler: return true;
        case AtomKind::name: return atom.text == "pi";
        case AtomKind::operation: return atom.op == Op::sigmoid || atom.op == Op::softplus;
        case AtomKind::sum: return Algebra::is_positive(atom.arguments[0]);
        default: return false;
    }
}

bool is_nonnegative_atom(const Atom& atom) {
    if (atom.kind == AtomKind::operation && atom.op == Op::absolute) return true;
    if (atom.kind == AtomKind::sum) return Algebra::is_nonnegative(atom.arguments[0]);
    return is_positive_atom(atom);
}

bool is_nonnegative_factor(const Factor& factor) {
    const auto exponent = Algebra::constant(factor.exponent);
    // A power with a fractional exponent has a value only for bases that are not negative.
    return is_nonnegative_atom(*factor.base) || (exponent && !is_integer(*exponent)) || has_even_exponent(factor);
}

}  // namespace

void Algebra::spend(std::size_t amount) {
    work_ += amount;
    if (work_ > most_work) throw GivenUp();
}

std::optional<Rational> Algebra::constant(const Expr& a) {
    if (a->terms.empty()) return Rational(0);
    if (a->terms.size() == 1 && a->terms[0].factors.empty()) return a->terms[0].coefficient;
    return std::nullopt;
}

bool Algebra::is_nonnegative(const Expr& a) {
    return !a->infinite && std::all_of(a->terms.begin(), a->terms.end(), [](const Term& term) {
        return term.coefficient > 0 && std::all_of(term.factors.begin(), term.factors.end(), is_nonnegative_factor);
    });
}

bool Algebra::is_positive(const Expr& a) {
    return is_nonnegative(a) && std::any_of(a->terms.begin(), a->terms.end(), [](const Term& term) {
               return std::all_of(term.factors.begin(), term.factors.end(),
                                  [](const Factor& factor) { return is_positive_atom(*factor.base); });
           });
}

bool Algebra::is_all_negative(const Expr& a) {
    return !a->terms.empty() &&
           std::all_of(a->terms.begin(), a->terms.end(), [](const Term& term) { return term.coefficient < 0; });
}

Rational Algebra::content(const Expr& a) {
    Integer above = 0;
    Integer below = 1;
    for (const Term& term : a->terms) {
        above = gcd(above, Integer(abs(numerator(term.coefficient))));
        below = lcm(below, Integer(denominator(term.coefficient)));
    }
    return above == 0 ? Rational(1) : Rational(above, below);
}

bool Algebra::leads_with_minus(const Expr& a) {
    return !a->terms.empty() && a->terms[0].coefficient < 0;
}

int Algebra::compare(const AtomPointer& a, const AtomPointer& b) {
    if (a == b) return 0;
    spend(1);
    if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
    if (a->op != b->op) return a->op < b->op ? -1 : 1;
    if (const int order = sign_of(a->text.compare(b->text))) return order;
    if (a->value != b->value) return a->value < b->value ? -1 : 1;
    if (a->arguments.size() != b->arguments.size()) return a->arguments.size() < b->arguments.size() ? -1 : 1;
    for (std::size_t at = 0; at < a->arguments.size(); ++at) {
        if (const int order = compare(a->arguments[at], b->arguments[at])) return order;
    }
    return 0;
}

/// Higher powers and longer products come first, a constant last.
int Algebra::compare_factors(const Term& a, const Term& b) {
    const std::size_t common = std::min(a.factors.size(), b.factors.size());
    for (std::size_t at = 0; at < common; ++at) {
        if (const int order = compare(a.factors[at].base, b.factors[at].base)) return order;
        if (const int order = compare(b.factors[at].exponent, a.factors[at].exponent)) return order;
    }
    return static_cast<int>(b.factors.size() > common) - static_cast<int>(a.factors.size() > common);
}

int Algebra::compare(const Expr& a, const Expr& b) {
    if (a == b) return 0;
    const std::size_t common = std::min(a->terms.size(), b->terms.size());
    for (std::size_t at = 0; at < common; ++at) {
        spend(1);
        if (const int order = compare_factors(a->terms[at], b->terms[at])) return order;
        const Rational& left = a->terms[at].coefficient;
        const Rational& right = b->terms[at].coefficient;
        if (left != right) return left < right ? -1 : 1;
    }
    return static_cast<int>(a->terms.size() > common) - static_cast<int>(b->terms.size() > common);
}

Expr Algebra::sum_of(std::vector<Term> terms) {
    if (terms.size() > most_terms) throw GivenUp();
    auto sum = std::make_shared<Sum>();
    for (Term& term : terms) {
        check_size(term.coefficient);
        sum->infinite = sum->infinite || term.infinite;
    }
    sum->terms = std::move(terms);
    return sum;
}

Expr Algebra::number(const Rational& value) const {
    check_size(value);
    auto sum = std::make_shared<Sum>();
    if (value != 0) sum->terms.push_back({value, {}});
    return sum;
}

Expr Algebra::atom(Atom atom) {
    spend(1);
    for (const Expr& argument : atom.arguments) atom.infinite = atom.infinite || argument->infinite;
    const bool infinite = atom.infinite;
    auto shared = std::make_shared<const Atom>(std::move(atom));
    return sum_of({Term{1, {Factor{std::move(shared), number(1)}}, infinite}});
}

Expr Algebra::operation(Op op, std::vector<Expr> arguments) {
    Atom made;
    made.kind = AtomKind::operation;
    made.op = op;
    made.arguments = std::move(arguments);
    return atom(std::move(made));
}

Expr Algebra::add(const Expr& a, const Expr& b) {
    std::vector<Term> terms;
    terms.reserve(a->terms.size() + b->terms.size());
    auto left = a->terms.begin();
    auto right = b->terms.begin();
    while (left != a->terms.end() && right != b->terms.end()) {
        spend(1);
        const int order = compare_factors(*left, *right);
        if (order != 0) {
            const Term& next = order < 0 ? *left++ : *right++;
            spend(size_of(next));
            terms.push_back(next);
            continue;
        }
        const bool has_no_value = left->infinite && (left->coefficient < 0) != (right->coefficient < 0);
        if (has_no_value) throw GivenUp();
        spend(work_of(left->coefficient, right->coefficient));
        Term merged = *left++;
        merged.coefficient += right++->coefficient;
        if (merged.coefficient != 0) terms.push_back(std::move(merged));
    }
    for (; left != a->terms.end(); ++left) {
        spend(size_of(*left));
        terms.push_back(*left);
    }
    for (; right != b->terms.end(); ++right) {
        spend(size_of(*right));
        terms.push_back(*right);
    }
    return sum_of(std::move(terms));
}

Expr Algebra::subtract(const Expr& a, const Expr& b) {
    return add(a, scale(b, -1));
}

Expr Algebra::scale(const Expr& a, const Rational& by) {
    if (by == 1) return a;
    if (by == 0) return a->infinite ? operation(Op::multiply, {number(0), a}) : number(0);
    std::vector<Term> terms = a->terms;
    for (Term& term : terms) {
        spend(work_of(term.coefficient, by));
        term.coefficient *= by;
    }
    return sum_of(std::move(terms));
}

Expr Algebra::from_factor(const Factor& factor) {
    return from_factors(1, {factor});
}

Expr Algebra::cleared(const Term& term, const Expr& sum, const Rational& by) {
    Atom base;
    base.kind = AtomKind::sum;
    base.arguments = {sum};
    const Factor factor{std::make_shared<const Atom>(std::move(base)), number(by)};
    return product(term, Term{1, {factor}});
}

/// Moves the integer part of a number's exponent into the coefficient: 2^(n + 3) is 8*2^n.
void Algebra::split_whole_power(Rational& coefficient, Factor& factor) {
    const Integer whole = floor_of(constant_term(factor.exponent));
    if (whole == 0 || abs(whole) > largest_whole_power) return;
    const auto count = static_cast<unsigned>(abs(whole));
    Rational base = factor.base->value;
    if (whole < 0) base = 1 / base;
    coefficient *= Rational(pow(Integer(numerator(base)), count)) / Rational(pow(Integer(denominator(base)), count));
    check_size(coefficient);
    factor.exponent = subtract(factor.exponent, number(Rational(whole)));
}

/// Brings one factor to its normal form. Returns true if the factor was absorbed by the coefficient, or became a
/// product in `others`.
bool Algebra::absorb(Rational& coefficient, Factor& factor, std::vector<Expr>& others) {
    const Atom& base = *factor.base;
    if (base.kind == AtomKind::number) split_whole_power(coefficient, factor);
    if (factor.exponent->terms.empty()) return true;
    const auto exponent = constant(factor.exponent);
    if (base.kind == AtomKind::operation && base.op == Op::absolute && has_even_exponent(factor)) {
        others.push_back(power(base.arguments[0], factor.exponent));
        return true;
    }
    if (base.kind != AtomKind::sum || base.infinite) return false;
    const Expr& sum = base.arguments[0];
    if (sum->terms.size() == 1) {
        if (!exponent || !is_integer(*exponent)) return false;
        others.push_back(power(sum, factor.exponent));
        return true;
    }
    if (!expands()) return false;
    const Integer whole = floor_of(constant_term(factor.exponent));
    if (whole < 1) return false;
    if (whole > largest_whole_power) throw GivenUp();
    for (int count = 0; count < static_cast<int>(whole); ++count) others.push_back(sum);
    factor.exponent = subtract(factor.exponent, number(Rational(whole)));
    return factor.exponent->terms.empty();
}

Expr Algebra::from_factors(Rational coefficient, const std::vector<Factor>& factors) {
    Term term;
    std::vector<Expr> others;
    for (Factor factor : factors) {
        spend(1);
        if (absorb(coefficient, factor, others)) continue;
        term.infinite = term.infinite || factor.base->infinite || factor.exponent->infinite;
        term.factors.push_back(std::move(factor));
    }
    const bool is_sum_alone = term.factors.size() == 1 && term.factors[0].base->kind == AtomKind::sum &&
                              is_one(term.factors[0].exponent) && others.empty();
    if (is_sum_alone) return scale(term.factors[0].base->arguments[0], coefficient);
    term.coefficient = std::move(coefficient);
    Expr result = term.coefficient == 0 ? number(0) : sum_of({std::move(term)});
    for (const Expr& other : others) result = multiply(result, other);
    return result;
}

Expr Algebra::product(const Term& a, const Term& b) {
    spend(work_of(a.coefficient, b.coefficient));
    std::vector<Factor> factors;
    auto left = a.factors.begin();
    auto right = b.factors.begin();
    while (left != a.factors.end() && right != b.factors.end()) {
        spend(1);
        const int order = compare(left->base, right->base);
        if (order != 0 || left->base->infinite) {
            factors.push_back(order <= 0 ? *left++ : *right++);
            continue;
        }
        factors.push_back({left->base, add(left->exponent, right->exponent)});
        ++left;
        ++right;
        if (factors.back().base->kind == AtomKind::euler) {
            const Expr power_of_e = exponential(factors.back().exponent);
            factors.pop_back();
            const Expr before = from_factors(a.coefficient * b.coefficient, factors);
            const Expr after = product(Term{1, {left, a.factors.end()}}, Term{1, {right, b.factors.end()}});
            return multiply(multiply(before, after), power_of_e);
        }
    }
    factors.insert(factors.end(), left, a.factors.end());
    factors.insert(factors.end(), right, b.factors.end());
    return from_factors(a.coefficient * b.coefficient, factors);
}

/// An expression as one term. A sum of several terms becomes a factor; its content and a common minus sign become the
/// coefficient.
Term Algebra::as_term(const Expr& a) {
    if (a->terms.size() == 1) return a->terms[0];
    Rational outside = content(a);
    if (is_all_negative(a)) outside = -outside;
    Atom base;
    base.kind = AtomKind::sum;
    base.infinite = a->infinite;
    base.arguments = {scale(a, 1 / outside)};
    auto shared = std::make_shared<const Atom>(std::move(base));
    return {outside, {Factor{std::move(shared), number(1)}}, a->infinite};
}

Expr Algebra::expand_product(const Expr& a, const Expr& b) {
    if (a->terms.size() * b->terms.size() > most_terms) throw GivenUp();
    std::vector<Expr> parts;
    for (const Term& left : a->terms) {
        for (const Term& right : b->terms) parts.push_back(product(left, right));
    }
    // Added in pairs, so that long sums are not merged again for every term.
    while (parts.size() > 1) {
        std::vector<Expr> halves;
        for (std::size_t at = 0; at + 1 < parts.size(); at += 2) halves.push_back(add(parts[at], parts[at + 1]));
        if (parts.size() % 2 == 1) halves.push_back(parts.back());
        parts = std::move(halves);
    }
    return parts.empty() ? number(0) : parts.front();
}

Expr Algebra::multiply(const Expr& a, const Expr& b) {
    if (const auto value = constant(a)) return scale(b, *value);
    if (const auto value = constant(b)) return scale(a, *value);
    const bool is_single = a->terms.size() == 1 && b->terms.size() == 1;
    if (is_single) return product(a->terms[0], b->terms[0]);
    if (expands()) return expand_product(a, b);
    return product(as_term(a), as_term(b));
}

Expr Algebra::divide(const Expr& a, const Expr& b) {
    if (b->terms.empty()) {
        Atom made;
        made.kind = AtomKind::operation;
        made.op = Op::divide;
        made.arguments = {a, b};
        made.infinite = true;
        return atom(std::move(made));
    }
    return multiply(a, power(b, number(-1)));
}

}  // namespace farfield::formula::normal
