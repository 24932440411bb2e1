#include <farfield/formula/simplify.hpp>

#include <algorithm>
#include <farfield/formula/parser.hpp>

#include "formula/normal_form.hpp"

namespace farfield::formula {
namespace {

using namespace normal;

constexpr int most_denominators = 8;

/// A sum that has a negative power among the factors of a term, and the least whole power that clears it.
std::optional<std::pair<Expr, Rational>> denominator_of(const Expr& expression) {
    for (const Term& term : expression->terms) {
        for (const Factor& factor : term.factors) {
            if (factor.base->kind != AtomKind::sum || factor.base->infinite) continue;
            for (const Term& part : factor.exponent->terms) {
                if (!part.factors.empty() || part.coefficient >= 0) continue;
                const Integer whole = floor_of(part.coefficient);
                return std::pair(factor.base->arguments[0], Rational(Integer(-whole)));
            }
        }
    }
    return std::nullopt;
}

/// Whether the expression is zero once its denominators are cleared.
bool is_zero(Expr expression, Algebra& algebra) {
    for (int count = 0; count < most_denominators; ++count) {
        if (expression->terms.empty()) return true;
        const auto found = denominator_of(expression);
        if (!found) break;
        // The power stays one factor, so that it cancels the denominator before it is multiplied out.
        Expr cleared = algebra.number(0);
        for (const Term& term : expression->terms) {
            cleared = algebra.add(cleared, algebra.cleared(term, found->first, found->second));
        }
        expression = cleared;
    }
    return without_wave_products(expression, algebra)->terms.empty();
}

Node simplified(const Node& tree, Mode mode) {
    try {
        Algebra algebra(mode);
        const Node simple = rebuild(normalise(tree, algebra));
        return simple->depth > deepest_tree ? tree : simple;
    } catch (const GivenUp&) {
        return tree;
    }
}

}  // namespace

Node simplify(const Node& tree) {
    return simplified(tree, Mode::collect);
}

Node simplify_between_jumps(const Node& tree) {
    return simplified(tree, Mode::keep_jumps);
}

std::optional<bool> known_truth(const Node& condition) {
    const Node simple = simplify(condition);
    if (simple->kind != Kind::operation || (simple->op != Op::equals && simple->op != Op::differs)) return std::nullopt;
    const auto is_zero = [](const Node& side) { return side->kind == Kind::number && side->text == "0"; };
    if (!is_zero(simple->children[0]) || !is_zero(simple->children[1])) return std::nullopt;
    return simple->op == Op::equals;
}

bool proves_equal(const Node& a, const Node& b) {
    try {
        Algebra algebra(Mode::expand);
        const Expr left = normalise(a, algebra);
        const Expr right = normalise(b, algebra);
        if (left->infinite || right->infinite) return algebra.same(left, right);
        return is_zero(algebra.subtract(left, right), algebra);
    } catch (const GivenUp&) {
        return false;
    }
}

}  // namespace farfield::formula
