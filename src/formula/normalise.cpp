// Tree to expression: what each operator means to the algebra.
#include <algorithm>
#include <map>
#include <unordered_map>

#include <farfield/formula/assumptions.hpp>

#include "formula/comparison.hpp"
#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

class Normaliser {
public:
    explicit Normaliser(Algebra& algebra) : algebra_(algebra) {}

    Expr run(const Node& tree) {
        // Trees share their parts; within a reduction a part may mean something else.
        if (!renamed_.empty()) return normal(tree);
        const auto known = known_.find(tree.get());
        if (known != known_.end()) return known->second;
        return known_.emplace(tree.get(), normal(tree)).first->second;
    }

private:
    Expr normal(const Node& tree) {
        algebra_.spend(1);
        switch (tree->kind) {
            case Kind::number: return decimal(*tree);
            case Kind::name: return name(*tree);
            case Kind::text: return plain(AtomKind::text, *tree);
            case Kind::index: return kept(tree, plain(AtomKind::index, *tree));
            case Kind::call: return plain(AtomKind::call, *tree);
            case Kind::operation: return kept(tree, operation(*tree));
            case Kind::reduction: return kept(tree, reduction(*tree));
        }
        throw GivenUp();
    }

    /// The expression of a tree; if the tree may jump, an atom that stays as it is written. An integral does not jump,
    /// and conditions in its body stay by themselves. Where the laws of the reals have found another form, such as a
    /// number, this form is the expression.
    Expr kept(const Node& tree, Expr found) {
        const bool jumps = tree->kind == Kind::index || (may_jump(tree->op) && !row(tree->op).integral);
        if (!algebra_.keeps_jumps() || !jumps || found->terms.size() != 1) return found;
        const Term& term = found->terms[0];
        if (term.coefficient != 1 || term.factors.size() != 1) return found;
        const auto exponent = Algebra::constant(term.factors[0].exponent);
        Atom written = *term.factors[0].base;
        if (!exponent || *exponent != 1 || written.op != tree->op) return found;
        written.written = tree;
        return algebra_.atom(std::move(written));
    }

    Expr decimal(const Tree& tree) {
        if (const auto value = rational_from_decimal(tree.text)) return algebra_.number(*value);
        Atom atom;
        atom.kind = AtomKind::name;
        atom.text = tree.text;
        return algebra_.atom(std::move(atom));
    }

    Expr name(const Tree& tree) {
        if (tree.text == "e") return algebra_.exponential(algebra_.number(1));
        Atom atom;
        atom.kind = AtomKind::name;
        atom.text = tree.text;
        const auto other = renamed_.find(tree.text);
        if (other != renamed_.end()) atom.text = other->second;
        atom.infinite = tree.text == "inf";
        return algebra_.atom(std::move(atom));
    }

    Expr plain(AtomKind kind, const Tree& tree) {
        Atom atom;
        atom.kind = kind;
        atom.text = tree.text;
        atom.arguments = all(tree.children);
        return algebra_.atom(std::move(atom));
    }

    std::vector<Expr> all(const std::vector<Node>& trees) {
        std::vector<Expr> expressions;
        expressions.reserve(trees.size());
        for (const Node& tree : trees) expressions.push_back(run(tree));
        return expressions;
    }

    Expr number(int value) const { return algebra_.number(value); }
    Expr one_plus(const Expr& x) { return algebra_.add(number(1), x); }
    Expr exponential(const Expr& x) { return algebra_.exponential(x); }
    Expr negative(const Expr& x) { return algebra_.scale(x, -1); }

    Expr operation(const Tree& tree) {
        const std::vector<Expr> x = all(tree.children);
        switch (tree.op) {
            case Op::add: return algebra_.add(x[0], x[1]);
            case Op::subtract: return algebra_.subtract(x[0], x[1]);
            case Op::multiply: return algebra_.multiply(x[0], x[1]);
            case Op::divide: return algebra_.divide(x[0], x[1]);
            case Op::negate: return negative(x[0]);
            case Op::power: return algebra_.power(x[0], x[1]);
            case Op::square_root: return algebra_.power(x[0], algebra_.number(Rational(1, 2)));
            case Op::exponential: return exponential(x[0]);
            case Op::logarithm: return algebra_.logarithm(x[0]);
            case Op::absolute: return algebra_.absolute(x[0]);
            case Op::modulo: return modulo(x[0], x[1]);
            case Op::exponential_minus_one:
            case Op::logarithm_one_plus:
            case Op::logarithm_two:
            case Op::softplus:
            case Op::sigmoid: return spelled(tree.op, x[0]);
            case Op::floor:
            case Op::ceiling:
            case Op::round: return stepped(tree.op, x[0]);
            case Op::sign: return sign(x[0]);
            case Op::minimum:
            case Op::maximum: return extreme(tree.op, x[0], x[1]);
            case Op::clamp: return clamp(x);
            case Op::less:
            case Op::less_equal:
            case Op::greater:
            case Op::greater_equal:
            case Op::equals:
            case Op::differs: return comparison(tree.op, x[0], x[1]);
            case Op::logical_not: return negation(x[0]);
            case Op::logical_and:
            case Op::logical_or: return logical(tree.op, x[0], x[1]);
            case Op::select: return select(x);
            case Op::arctangent:
            case Op::t5_bucket:
            case Op::binomial:
            case Op::sum:
            case Op::product:
            case Op::for_all:
            case Op::for_some:
            case Op::argmin:
            case Op::argmax: return algebra_.operation(tree.op, x);
            default: return by_parity(tree.op, x[0]);
        }
    }

    /// A function of one number of which only its row is known.
    Expr by_parity(Op op, const Expr& x) {
#define FARFIELD_NORMAL_odd odd(op, x)
#define FARFIELD_NORMAL_even even(op, x)
#define FARFIELD_NORMAL_neither algebra_.operation(op, {x})
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    if (op == Op::name) return FARFIELD_NORMAL_##parity;
#include <farfield/numerics/functions.def>
#undef FARFIELD_NORMAL_odd
#undef FARFIELD_NORMAL_even
#undef FARFIELD_NORMAL_neither
        return is_rounding(op) || op == Op::sine_integral ? odd(op, x) : algebra_.operation(op, {x});
    }

    Expr modulo(const Expr& a, const Expr& b) {
        const auto left = Algebra::constant(a);
        const auto right = Algebra::constant(b);
        if (!left || !right || *right == 0) return algebra_.operation(Op::modulo, {a, b});
        const Rational quotient = *left / *right;
        return algebra_.number(*left - *right * Rational(floor_of(quotient)));
    }

    /// Expresses functions by exp and log, if the result only serves a decision.
    Expr spelled(Op op, const Expr& x) {
        const bool is_zero = x->terms.empty();
        if (is_zero && (op == Op::exponential_minus_one || op == Op::logarithm_one_plus)) return number(0);
        if (is_zero && op == Op::sigmoid) return algebra_.number(Rational(1, 2));
        if (op == Op::logarithm_two) return logarithm_two(x);
        if (!algebra_.expands() || x->infinite) return algebra_.operation(op, {x});
        if (op == Op::exponential_minus_one) return algebra_.subtract(exponential(x), number(1));
        if (op == Op::logarithm_one_plus) return algebra_.logarithm(one_plus(x));
        if (op == Op::softplus) return algebra_.logarithm(one_plus(exponential(x)));
        return algebra_.power(one_plus(exponential(negative(x))), number(-1));
    }

    Expr logarithm_two(const Expr& x) {
        const bool is_single = x->terms.size() == 1;
        if (is_single && x->terms[0].factors.empty()) {
            Rational value = x->terms[0].coefficient;
            int exponent = 0;
            for (; value > 1 && is_integer(value) && numerator(value) % 2 == 0; value /= 2) ++exponent;
            for (; value > 0 && value < 1 && numerator(value) == 1 && denominator(value) % 2 == 0; value *= 2)
                --exponent;
            if (value == 1) return number(exponent);
        }
        if (!algebra_.expands() || x->infinite) return algebra_.operation(Op::logarithm_two, {x});
        return algebra_.divide(algebra_.logarithm(x), algebra_.logarithm(number(2)));
    }

    /// Whether the operator is applied to -x, the simpler of x and -x.
    bool turns(Op op, const Expr& x) {
        return !x->infinite && !(algebra_.keeps_jumps() && may_jump(op)) && algebra_.turns(x);
    }

    Expr odd(Op op, const Expr& x) {
        if (x->terms.empty()) return number(0);
        if (turns(op, x)) return negative(algebra_.operation(op, {negative(x)}));
        return algebra_.operation(op, {x});
    }

    Expr even(Op op, const Expr& x) {
        if (op == Op::cosine && x->terms.empty()) return number(1);
        return algebra_.operation(op, {turns(op, x) ? negative(x) : x});
    }

    static Rational step(Op op, const Rational& value) {
        const Integer below = floor_of(value);
        const Rational rest = value - Rational(below);
        if (op == Op::floor || rest == 0) return Rational(below);
        const Rational half(1, 2);
        const bool goes_up = op == Op::ceiling || rest > half || (rest == half && below % 2 != 0);
        return Rational(Integer(below + (goes_up ? 1 : 0)));
    }

    static bool is_step(Op op) {
        return op == Op::floor || op == Op::ceiling || op == Op::round;
    }

    Expr stepped(Op op, const Expr& x) {
        if (const auto value = Algebra::constant(x)) return algebra_.number(step(op, *value));
        const bool is_atom = x->terms.size() == 1 && x->terms[0].coefficient == 1 && x->terms[0].factors.size() == 1;
        if (is_atom) {
            const Factor& factor = x->terms[0].factors[0];
            const auto exponent = Algebra::constant(factor.exponent);
            const bool is_whole = factor.base->kind == AtomKind::operation && is_step(factor.base->op);
            if (is_whole && exponent && *exponent == 1) return x;
        }
        return algebra_.operation(op, {x});
    }

    Expr sign(const Expr& x) {
        if (const auto value = Algebra::constant(x)) return number(*value > 0 ? 1 : *value < 0 ? -1 : 0);
        if (Algebra::is_positive(x)) return number(1);
        return turns(Op::sign, x) ? negative(sign(negative(x))) : algebra_.operation(Op::sign, {x});
    }

    Expr extreme(Op op, const Expr& a, const Expr& b) {
        if (algebra_.same(a, b)) return a;
        const auto left = Algebra::constant(a);
        const auto right = Algebra::constant(b);
        if (left && right) return (*left < *right) == (op == Op::minimum) ? a : b;
        const bool swaps = algebra_.expands() && algebra_.compare(a, b) > 0;
        return algebra_.operation(op, swaps ? std::vector{b, a} : std::vector{a, b});
    }

    Expr clamp(const std::vector<Expr>& x) {
        const auto value = Algebra::constant(x[0]);
        const auto low = Algebra::constant(x[1]);
        const auto high = Algebra::constant(x[2]);
        if (algebra_.expands() || (value && low && high)) {
            return extreme(Op::minimum, extreme(Op::maximum, x[0], x[1]), x[2]);
        }
        return algebra_.operation(Op::clamp, x);
    }

    Expr truth(bool value) {
        return algebra_.operation(value ? Op::equals : Op::differs, {number(0), number(0)});
    }

    /// Whether a condition is one of the two that truth() makes.
    static std::optional<bool> known_truth(const Expr& condition) {
        if (condition->terms.size() != 1 || condition->terms[0].factors.size() != 1) return std::nullopt;
        const Atom& atom = *condition->terms[0].factors[0].base;
        const bool compares = atom.kind == AtomKind::operation && (atom.op == Op::equals || atom.op == Op::differs);
        if (!compares || !atom.arguments[0]->terms.empty() || !atom.arguments[1]->terms.empty()) return std::nullopt;
        return atom.op == Op::equals;
    }

    /// The same comparison as < or <= if it is > or >=.
    static Op as_less(Op op) {
        return op == Op::greater || op == Op::greater_equal ? mirrored(op) : op;
    }

    Expr comparison(Op op, const Expr& a, const Expr& b) {
        if (a->infinite || b->infinite) return algebra_.operation(op, {a, b});
        Expr difference = algebra_.subtract(a, b);
        if (const auto value = Algebra::constant(difference)) return truth(compares(op, *value, Rational(0)));
        if (!algebra_.expands()) return algebra_.operation(op, {a, b});
        const bool has_no_side = op == Op::equals || op == Op::differs;
        const bool swaps = has_no_side ? Algebra::leads_with_minus(difference) : op != as_less(op);
        Rational by = 1 / Algebra::content(difference);
        if (swaps) by = -by;
        return algebra_.operation(as_less(op), {algebra_.scale(difference, by), number(0)});
    }

    Expr negation(const Expr& condition) {
        if (const auto known = known_truth(condition)) return truth(!*known);
        const Factor& factor = condition->terms[0].factors[0];
        const bool is_double = factor.base->kind == AtomKind::operation && factor.base->op == Op::logical_not;
        return is_double ? factor.base->arguments[0] : algebra_.operation(Op::logical_not, {condition});
    }

    Expr logical(Op op, const Expr& a, const Expr& b) {
        const bool neutral = op == Op::logical_and;
        if (const auto known = known_truth(a)) return *known == neutral ? b : a;
        if (const auto known = known_truth(b)) return *known == neutral ? a : b;
        const int order = algebra_.compare(a, b);
        if (order == 0) return a;
        const bool swaps = algebra_.expands() && order > 0;
        return algebra_.operation(op, swaps ? std::vector{b, a} : std::vector{a, b});
    }

    Expr select(const std::vector<Expr>& x) {
        if (const auto known = known_truth(x[0])) return *known ? x[1] : x[2];
        return algebra_.same(x[1], x[2]) ? x[1] : algebra_.operation(Op::select, x);
    }

    Expr reduction(const Tree& tree) {
        const Expr from = run(tree.children[0]);
        const Expr to = run(tree.children[1]);
        // Sums that differ only in the name of their variable are equal. No name of the language starts with '#'.
        const std::string variable = algebra_.expands() ? "#" + std::to_string(renamed_.size()) : tree.text;
        const auto outer = renamed_;
        renamed_[tree.text] = variable;
        const Expr body = run(tree.children[2]);
        renamed_ = outer;
        if (tree.op == Op::sum && !body->infinite) return sum({variable, from, to}, body);
        return reduced(tree.op, {variable, from, to}, body);
    }

    struct Range {
        std::string variable;
        Expr from, to;
    };

    Expr reduced(Op op, const Range& range, const Expr& body) {
        Atom atom;
        atom.kind = AtomKind::reduction;
        atom.op = op;
        atom.text = range.variable;
        atom.arguments = {range.from, range.to, body};
        const bool is_constant_product = op == Op::product && !body->infinite && !mentions(body, range.variable);
        if (is_constant_product && has_count(range)) return algebra_.power(body, count(range));
        return algebra_.atom(std::move(atom));
    }

    /// Whether the bounds may be integers: neither is known not to be one.
    static bool has_count(const Range& range) {
        const auto from = Algebra::constant(range.from);
        const auto to = Algebra::constant(range.to);
        return (!from || is_integer(*from)) && (!to || is_integer(*to)) && !range.from->infinite && !range.to->infinite;
    }

    /// max(0, to - from + 1)
    Expr count(const Range& range) {
        return extreme(Op::maximum, number(0), one_plus(algebra_.subtract(range.to, range.from)));
    }

    /// Factors that do not depend on the variable are moved out of the sum; so are the terms of a sum if the result
    /// only serves a decision.
    Expr sum(const Range& range, const Expr& body) {
        if (body->terms.size() > 1 && !algebra_.expands()) return reduced_terms(range, body);
        Expr result = number(0);
        for (const Term& term : body->terms) result = algebra_.add(result, sum_of_term(range, term));
        return result;
    }

    Expr reduced_terms(const Range& range, const Expr& body) {
        if (!mentions(body, range.variable) && has_count(range)) return algebra_.multiply(body, count(range));
        const Rational outside = Algebra::is_all_negative(body) ? -Algebra::content(body) : Algebra::content(body);
        return algebra_.scale(reduced(Op::sum, range, algebra_.scale(body, 1 / outside)), outside);
    }

    Expr sum_of_term(const Range& range, const Term& term) {
        Expr outside = algebra_.number(term.coefficient);
        Expr inside = number(1);
        for (const Factor& factor : term.factors) {
            const bool depends = mentions(factor, range.variable);
            Expr& side = depends ? inside : outside;
            side = algebra_.multiply(side, algebra_.from_factor(factor));
        }
        const bool is_constant = inside->terms.size() == 1 && inside->terms[0].factors.empty();
        if (is_constant && has_count(range)) return algebra_.multiply(outside, count(range));
        return algebra_.multiply(outside, reduced(Op::sum, range, inside));
    }

    bool mentions(const Factor& factor, const std::string& name) {
        const Atom& atom = *factor.base;
        algebra_.spend(1);
        if (atom.kind == AtomKind::name && atom.text == name) return true;
        return mentions(factor.exponent, name) ||
               std::any_of(atom.arguments.begin(), atom.arguments.end(),
                           [&](const Expr& argument) { return mentions(argument, name); });
    }

    bool mentions(const Expr& expression, const std::string& name) {
        return std::any_of(expression->terms.begin(), expression->terms.end(), [&](const Term& term) {
            return std::any_of(term.factors.begin(), term.factors.end(),
                               [&](const Factor& factor) { return mentions(factor, name); });
        });
    }

    Algebra& algebra_;
    std::map<std::string, std::string> renamed_;
    std::unordered_map<const Tree*, Expr> known_;
};

}  // namespace

Expr normalise(const Node& tree, Algebra& algebra) {
    return Normaliser(algebra).run(tree);
}

}  // namespace farfield::formula::normal
