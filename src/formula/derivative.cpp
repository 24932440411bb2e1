#include <farfield/formula/derivative.hpp>

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/simplify.hpp>
#include <functional>
#include <unordered_map>
#include <utility>

namespace farfield::formula {
namespace {

Node number(const char* text) {
    return make_number(text);
}
Node times(const Node& a, const Node& b) {
    return make(Op::multiply, {a, b});
}
Node over(const Node& a, const Node& b) {
    return make(Op::divide, {a, b});
}
Node negative(const Node& a) {
    return make(Op::negate, {a});
}
Node squared(const Node& a) {
    return make(Op::power, {a, number("2")});
}

bool is_real(const Node& tree) {
    switch (tree->kind) {
        case Kind::number:
        case Kind::name:
        case Kind::index: return true;
        case Kind::text:
        case Kind::call: return false;
        case Kind::operation:
            return tree->op == Op::select ? is_real(tree->children[1]) : row(tree->op).result == Type::real;
        case Kind::reduction: return row(tree->op).result == Type::real;
    }
    return false;
}

/// If the base is positive by its form, its logarithm needs no guard.
bool is_positive(const Node& tree) {
    if (tree->kind == Kind::number) return tree->number > 0;
    if (tree->kind == Kind::name) return tree->text == "e" || tree->text == "pi";
    if (tree->kind != Kind::operation) return false;
    switch (tree->op) {
        case Op::exponential:
        case Op::softplus:
        case Op::sigmoid: return true;
        case Op::add:
        case Op::multiply:
        case Op::divide:
        case Op::power: return is_positive(tree->children[0]) && is_positive(tree->children[1]);
        default: return false;
    }
}

/// The chain rule. An empty node stands for a derivative that is zero everywhere.
class Differentiator {
public:
    /// `leaf` gives the derivative of a name or of an index, empty if it is zero.
    explicit Differentiator(std::function<Node(const Node&)> leaf) : leaf_(std::move(leaf)) {}

    Node run(const Node& tree) {
        const auto known = known_.find(tree);
        if (known != known_.end()) return known->second;
        return known_.emplace(tree, derived(tree)).first->second;
    }

private:
    Node derived(const Node& tree) {
        switch (tree->kind) {
            case Kind::number: return nullptr;
            case Kind::name:
            case Kind::index: return hidden(tree) ? nullptr : leaf_(tree);
            case Kind::operation: return operation(tree);
            case Kind::reduction: return reduction(tree);
            case Kind::text:
            case Kind::call: break;
        }
        throw core::PreconditionError("derivative", "tree", tree->text,
                                      "a formula without texts and unknown functions");
    }

    /// Whether an enclosing reduction redefines the name.
    bool hidden(const Node& tree) const {
        return tree->kind == Kind::name && std::find(bound_.begin(), bound_.end(), tree->text) != bound_.end();
    }

    static Node product(const Node& factor, const Node& slope) { return slope ? times(factor, slope) : nullptr; }
    static Node quotient(const Node& slope, const Node& by) { return slope ? over(slope, by) : nullptr; }
    static Node opposite(const Node& slope) { return slope ? negative(slope) : nullptr; }
    static Node sum(const Node& a, const Node& b) {
        if (!a || !b) return a ? a : b;
        return make(Op::add, {a, b});
    }
    static Node difference(const Node& a, const Node& b) {
        return a && b ? make(Op::subtract, {a, b}) : sum(a, opposite(b));
    }
    static Node choice(const Node& condition, const Node& yes, const Node& no) {
        if (!yes && !no) return nullptr;
        return make(Op::select, {condition, yes ? yes : number("0"), no ? no : number("0")});
    }

    Node operation(const Node& tree) {
        const std::vector<Node>& x = tree->children;
        switch (tree->op) {
            case Op::add: return sum(run(x[0]), run(x[1]));
            case Op::subtract: return difference(run(x[0]), run(x[1]));
            case Op::multiply: return sum(product(x[1], run(x[0])), product(x[0], run(x[1])));
            case Op::divide: return ratio(tree);
            case Op::modulo: return difference(run(x[0]), product(make(Op::floor, {over(x[0], x[1])}), run(x[1])));
            case Op::negate: return opposite(run(x[0]));
            case Op::power: return power(tree);
            case Op::select: return choice(x[0], run(x[1]), run(x[2]));
            case Op::minimum: return choice(make(Op::less_equal, {x[0], x[1]}), run(x[0]), run(x[1]));
            case Op::maximum: return choice(make(Op::greater_equal, {x[0], x[1]}), run(x[0]), run(x[1]));
            case Op::clamp: return clamp(x);
            case Op::arctangent: return arctangent(x);
            case Op::floor:
            case Op::ceiling:
            case Op::round:
            case Op::sign:
            case Op::t5_bucket: return nullptr;
            case Op::binomial: return run(x[0]) || run(x[1]) ? over(number("0"), number("0")) : nullptr;
            default: return is_rounding(tree->op) ? run(x[0]) : chained(tree);
        }
    }

    /// f(u): f'(u) u'
    Node chained(const Node& tree) {
        const Node& u = tree->children[0];
        const Node slope = run(u);
        if (!slope) return nullptr;
        switch (tree->op) {
            case Op::square_root: return over(slope, times(number("2"), tree));
            case Op::absolute: return times(make(Op::sign, {u}), slope);
            case Op::sine_integral:
                return times(choice(make(Op::equals, {u, number("0")}), number("1"), over(make(Op::sine, {u}), u)),
                             slope);
            case Op::softplus: return times(make(Op::sigmoid, {u}), slope);
            case Op::sigmoid: return times(times(tree, make(Op::sigmoid, {negative(u)})), slope);
            default: return substitute(slope_of(tree->op), {{"a", u}, {"d", slope}, {"it", tree}});
        }
    }

    /// The slope that functions.def states: a formula over the argument a, its derivative d and the value it.
    static const Node& slope_of(Op op) {
        static const std::unordered_map<Op, Node> slopes = {
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) {Op::name, parse(Source{slope, {}})},
#include <farfield/numerics/functions.def>
        };
        const auto found = slopes.find(op);
        if (found != slopes.end()) return found->second;
        throw core::PreconditionError("derivative", "tree", row(op).spelling, "a real operator");
    }

    /// (u/v)' = u'/v - u v'/v^2
    Node ratio(const Node& tree) {
        const Node& u = tree->children[0];
        const Node& v = tree->children[1];
        return difference(quotient(run(u), v), quotient(product(u, run(v)), squared(v)));
    }

    /// (u^v)' = v u^(v - 1) u' + u^v log(u) v'. The second term avoids 0 log 0: where u is 0, its slope is 0.
    Node power(const Node& tree) {
        const Node& u = tree->children[0];
        const Node& v = tree->children[1];
        const Node lower = make(Op::power, {u, make(Op::subtract, {v, number("1")})});
        const Node by_base = product(times(v, lower), run(u));
        Node by_exponent = run(v);
        if (by_exponent) {
            by_exponent = times(times(tree, make(Op::logarithm, {u})), by_exponent);
            if (!is_positive(u)) by_exponent = choice(make(Op::equals, {u, number("0")}), nullptr, by_exponent);
        }
        return sum(by_base, by_exponent);
    }

    /// The branch that min(max(x, low), high) selects.
    Node clamp(const std::vector<Node>& x) {
        const Node raised = make(Op::maximum, {x[0], x[1]});
        return choice(make(Op::less_equal, {raised, x[2]}), run(raised), run(x[2]));
    }

    /// atan2(y, x)' = (x y' - y x')/(x^2 + y^2)
    Node arctangent(const std::vector<Node>& x) {
        const Node above = difference(product(x[1], run(x[0])), product(x[0], run(x[1])));
        return quotient(above, make(Op::add, {squared(x[1]), squared(x[0])}));
    }

    /// Leibniz's rule: the contributions of the moving bounds, and the integral of the slope.
    Node integral(const Node& tree, const Node& slope) {
        const auto at = [&](std::size_t bound) {
            const Node& end = tree->children[bound];
            const Node moves = run(end);
            return moves ? times(substitute(tree->children[2], {{tree->text, end}}), moves) : nullptr;
        };
        const Node inside =
            slope ? make_reduction(tree->op, tree->text, tree->children[0], tree->children[1], slope) : nullptr;
        return sum(difference(at(1), at(0)), inside);
    }

    /// Bounds of loops and results of choices are integers, so they have no slope.
    Node reduction(const Node& tree) {
        if (row(tree->op).choice) return nullptr;
        bound_.push_back(tree->text);
        const auto outside = std::exchange(known_, {});
        const Node slope = run(tree->children[2]);
        known_ = outside;
        bound_.pop_back();
        if (row(tree->op).integral) return integral(tree, slope);
        if (!slope) return nullptr;
        if (tree->op == Op::sum)
            return make_reduction(Op::sum, tree->text, tree->children[0], tree->children[1], slope);
        if (tree->op == Op::product) return product_rule(tree, slope);
        throw core::PreconditionError("derivative", "tree", row(tree->op).spelling, "a real reduction");
    }

    /// (prod_v f)' = sum_v f'(v) prod_{w != v} f(w), which has no division by an f(v) that may be zero.
    static Node product_rule(const Node& tree, const Node& slope) {
        const Node& from = tree->children[0];
        const Node& to = tree->children[1];
        const std::vector<std::string> taken = free_names(make(Op::multiply, {tree->children[2], slope}));
        std::string other = tree->text + "_";
        while (std::find(taken.begin(), taken.end(), other) != taken.end()) other += '_';
        const Node rest = substitute(tree->children[2], {{tree->text, make_name(other)}});
        const Node same = make(Op::equals, {make_name(other), make_name(tree->text)});
        const Node factor = make(Op::select, {same, number("1"), rest});
        const Node others = make_reduction(Op::product, other, from, to, factor);
        return make_reduction(Op::sum, tree->text, from, to, times(slope, others));
    }

    std::function<Node(const Node&)> leaf_;
    std::vector<std::string> bound_;
    std::unordered_map<Node, Node> known_;  ///< the map keeps its keys alive, because some trees are temporary
};

Node differentiate(const Node& tree, const std::string& by, std::function<Node(const Node&)> leaf) {
    if (!is_real(tree)) throw core::PreconditionError("derivative", "tree", by, "a formula of type real");
    const Node slope = Differentiator(std::move(leaf)).run(tree);
    return slope ? simplify_between_jumps(slope) : number("0");
}

}  // namespace

Node derivative(const Node& tree, const std::string& name) {
    return differentiate(tree, name, [&](const Node& leaf) {
        return leaf->kind == Kind::name && leaf->text == name ? number("1") : nullptr;
    });
}

Node derivative_of_entry(const Node& tree, const std::string& table, const Node& entry) {
    return differentiate(tree, table, [&](const Node& leaf) {
        const bool reads = leaf->kind == Kind::index && leaf->text == table && leaf->children.size() == 1;
        if (!reads) return Node();
        return make(Op::select, {make(Op::equals, {leaf->children[0], entry}), number("1"), number("0")});
    });
}

}  // namespace farfield::formula
