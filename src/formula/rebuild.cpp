// Converts an expression to a tree in the usual notation: no factor one, quotients for negative powers, a minus sign in
// front.
#include <unordered_map>

#include "formula/normal_form.hpp"

namespace farfield::formula::normal {
namespace {

/// From this many operands on, sums and products are nested in halves, because the tree of a chain would be too deep.
constexpr std::size_t longest_chain = 32;

class Rebuilder {
public:
    Node run(const Expr& expression) {
        const auto known = known_.find(expression.get());
        if (known != known_.end()) return known->second;
        return known_.emplace(expression.get(), sum(*expression)).first->second;
    }

private:
    /// A term without its sign.
    struct Part {
        Node tree;
        bool is_negative;
    };

    Node sum(const Sum& expression) {
        if (expression.terms.empty()) return make_number("0");
        std::vector<Part> parts;
        for (const Term& term : expression.terms) parts.push_back({nullptr, term.coefficient < 0});
        const bool is_alone = expression.terms.size() == 1;
        for (std::size_t at = 0; at < parts.size(); ++at) {
            parts[at].tree = product(expression.terms[at], is_alone && parts[at].is_negative);
        }
        if (is_alone) return parts[0].tree;
        // 1 - n/L rather than -n/L + 1.
        std::size_t first = 0;
        while (first < parts.size() && parts[first].is_negative) ++first;
        if (first == parts.size()) {
            parts[0] = {product(expression.terms[0], true), false};
        } else {
            const Part leading = parts[first];
            parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(first));
            parts.insert(parts.begin(), leading);
        }
        return added(parts, 0, parts.size());
    }

    static Node added(const std::vector<Part>& parts, std::size_t begin, std::size_t end) {
        if (end - begin > longest_chain) {
            const std::size_t middle = begin + (end - begin) / 2;
            return make(Op::add, {added(parts, begin, middle), added(parts, middle, end)});
        }
        const Part& first = parts[begin];
        Node tree = first.is_negative ? make(Op::negate, {first.tree}) : first.tree;
        for (std::size_t at = begin + 1; at < end; ++at) {
            tree = make(parts[at].is_negative ? Op::subtract : Op::add, {tree, parts[at].tree});
        }
        return tree;
    }

    static Node multiplied(const std::vector<Node>& factors, std::size_t begin, std::size_t end) {
        if (end - begin > longest_chain) {
            const std::size_t middle = begin + (end - begin) / 2;
            return make(Op::multiply, {multiplied(factors, begin, middle), multiplied(factors, middle, end)});
        }
        Node tree = factors[begin];
        for (std::size_t at = begin + 1; at < end; ++at) tree = make(Op::multiply, {tree, factors[at]});
        return tree;
    }

    static bool is_sum(const Node& tree) {
        return tree->kind == Kind::operation && (tree->op == Op::add || tree->op == Op::subtract);
    }

    /// The term's absolute value, or its opposite where `negative`.
    Node product(const Term& term, bool negative) {
        constexpr std::size_t readable = 10;
        const Rational size = abs(term.coefficient);
        const bool is_decimal = !is_integer(size) && short_decimal(size, readable).has_value();
        const Rational above = is_decimal ? size : Rational(numerator(size));
        const Rational below = is_decimal ? Rational(1) : Rational(denominator(size));
        std::vector<Node> over;
        std::vector<Node> under;
        if (below != 1) under.push_back(rational_node(below));
        for (const Factor& factor : term.factors) {
            const auto exponent = Algebra::constant(factor.exponent);
            const bool is_fixed = factor.base->kind == AtomKind::number || factor.base->kind == AtomKind::euler;
            const bool is_under = exponent && *exponent < 0 && !is_fixed;
            (is_under ? under : over).push_back(power(factor, is_under));
        }
        // A minus in front of a sum would be read as part of it: (k - q)/x and not -(q - k)/x.
        const bool starts_with_sum = !over.empty() && is_sum(over.front());
        if (above != 1 || over.empty()) over.insert(over.begin(), rational_node(above));
        if (negative && !starts_with_sum) over.front() = make(Op::negate, {over.front()});
        const Node top = multiplied(over, 0, over.size());
        const Node whole = under.empty() ? top : make(Op::divide, {top, multiplied(under, 0, under.size())});
        return negative && starts_with_sum ? make(Op::negate, {whole}) : whole;
    }

    Node power(const Factor& factor, bool inverted) {
        const Atom& base = *factor.base;
        const auto exponent = Algebra::constant(factor.exponent);
        const Rational half(1, 2);
        if (base.kind == AtomKind::euler) {
            return exponent && *exponent == 1 ? make_name("e") : make(Op::exponential, {run(factor.exponent)});
        }
        if (!exponent) return make(Op::power, {atom(base), run(factor.exponent)});
        const Rational size = inverted ? Rational(-*exponent) : *exponent;
        if (size == 1) return atom(base);
        if (size == half) return make(Op::square_root, {atom(base)});
        return make(Op::power, {atom(base), rational_node(size)});
    }

    Node atom(const Atom& atom) {
        if (atom.written) return atom.written;
        switch (atom.kind) {
            case AtomKind::number: return rational_node(atom.value);
            case AtomKind::euler: return make_name("e");
            case AtomKind::name:
                return atom.text.find_first_of("0123456789.") == 0 ? make_number(atom.text) : make_name(atom.text);
            case AtomKind::operation: return make(atom.op, all(atom.arguments));
            case AtomKind::index: return make_index(atom.text, all(atom.arguments));
            case AtomKind::call: return make_call(atom.text, all(atom.arguments));
            case AtomKind::text: return make_text(atom.text);
            case AtomKind::reduction:
                return make_reduction(atom.op, atom.text, run(atom.arguments[0]), run(atom.arguments[1]),
                                      run(atom.arguments[2]));
            case AtomKind::sum: return run(atom.arguments[0]);
        }
        return nullptr;
    }

    std::vector<Node> all(const std::vector<Expr>& expressions) {
        std::vector<Node> trees;
        trees.reserve(expressions.size());
        for (const Expr& expression : expressions) trees.push_back(run(expression));
        return trees;
    }

    std::unordered_map<const Sum*, Node> known_;
};

}  // namespace

Node rebuild(const Expr& expression) {
    return Rebuilder().run(expression);
}

}  // namespace farfield::formula::normal
