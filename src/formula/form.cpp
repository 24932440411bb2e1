#include "formula/form.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <farfield/formula/names.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>

#include "formula/bounds.hpp"
#include "formula/comparison.hpp"
#include "formula/unknown.hpp"

namespace farfield::formula {

using numerics::Rational;

namespace {

bool is_operation(const Node& node, Op op) {
    return node->kind == Kind::operation && node->op == op;
}

std::string text_of(const Sum& sum) {
    std::string text;
    for (const auto& [factors, number] : sum) {
        text += (text.empty() ? "" : " + ") + numerics::rational_text(number);
        for (const std::string& factor : factors) text += "*" + factor;
    }
    return "(" + text + ")";
}

/// A sum of several terms is one factor: products are not multiplied out.
std::pair<Factors, Rational> term_of(const Sum& sum) {
    if (sum.empty()) return {{}, 0};
    if (sum.size() == 1) return *sum.begin();
    return {{text_of(sum)}, 1};
}

Sum product(const Sum& a, const Sum& b) {
    if (const auto number = number_in(a)) {
        Sum scaled;
        add(scaled, b, *number);
        return scaled;
    }
    if (number_in(b)) return product(b, a);
    auto [factors, number] = term_of(a);
    const auto [others, times] = term_of(b);
    factors.insert(factors.end(), others.begin(), others.end());
    std::sort(factors.begin(), factors.end());
    return {{factors, number * times}};
}

/// For nodes other than sums and products: the node with its children brought into this form.
Sum whole(const Node& node) {
    std::string text = node->kind == Kind::number ? print(node) : node->text;
    if (node->kind == Kind::operation || node->kind == Kind::reduction)
        text = std::string(row(node->op).spelling) + " " + text;
    if (node->kind == Kind::text) text = "'" + text + "'";
    for (const Node& child : node->children) text += " " + text_of(sum_of(child));
    return {{{"[" + text + "]"}, 1}};
}

bool is_junction(const Node& node) {
    return is_operation(node, Op::logical_and) || is_operation(node, Op::logical_or) ||
           is_operation(node, Op::logical_not);
}

/// Whether the tree contains a name that is neither bound nor a constant.
bool has_value(const Node& tree, const std::vector<std::string>& bound) {
    std::vector<std::string> names = free_names(tree);
    const std::vector<std::string> tables = indexed_names(tree);
    names.insert(names.end(), tables.begin(), tables.end());
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return reserved(name).empty() && std::find(bound.begin(), bound.end(), name) == bound.end();
    });
}

/// A sum or product with more terms, or with too many nodes, is not written out, except if all its terms are equal.
constexpr long most_terms = 32;
constexpr std::size_t most_nodes_written_out = 2000;

/// A sum over a range of typed numbers as its terms, and a product as its factors.
Node written_out(const Node& node) {
    if (node->kind == Kind::operation) {
        std::vector<Node> children;
        for (const Node& child : node->children) children.push_back(written_out(child));
        return children == node->children ? node : make(node->op, std::move(children), node->span);
    }
    if (node->kind != Kind::reduction || (node->op != Op::sum && node->op != Op::product)) return node;
    const auto from = number_in(sum_of(node->children[0])), to = number_in(sum_of(node->children[1]));
    if (!from || !to || !numerics::is_integer(*from) || !numerics::is_integer(*to)) return node;
    const Rational count = *to - *from + 1;
    const Node body = written_out(node->children[2]);
    const bool is_sum = node->op == Op::sum;
    if (count <= 0) return make_number(is_sum ? "0" : "1");
    const std::vector<std::string> names = free_names(body);
    const bool is_alike = std::find(names.begin(), names.end(), node->text) == names.end();
    if (is_alike && is_sum) return make(Op::multiply, {make_number(numerics::rational_text(count)), body});
    if (count > most_terms) return node;
    Node all;
    for (Rational at = *from; at <= *to; at += 1) {
        const Node term =
            written_out(substitute(node->children[2], {{node->text, parse(numerics::rational_text(at))}}));
        if ((all ? all->nodes : 0) + term->nodes > most_nodes_written_out) return node;
        all = all ? make(is_sum ? Op::add : Op::multiply, {all, term}) : term;
    }
    return all;
}

/// A side of a comparison. An expression divided by a multiple of itself is a number wherever it has a value; where it
/// has none, no comparison holds.
Sum side_of(const Node& node) {
    if (!is_operation(node, Op::divide)) return sum_of(node);
    const Sum dividend = sum_of(node->children[0]), divisor = sum_of(node->children[1]);
    if (dividend.empty() || divisor.empty() || number_in(divisor)) return sum_of(node);
    const Rational ratio = dividend.begin()->second / divisor.begin()->second;
    Sum multiplied;
    add(multiplied, divisor, ratio);
    return multiplied == dividend ? Sum{{{}, ratio}} : sum_of(node);
}

/// constant + factor*rest, where the rest has no constant and its first term no factor.
struct Multiple {
    Sum rest;
    Rational factor, constant;
};

/// Of a sum that is not a number.
Multiple multiple_of(Sum sum) {
    Multiple all{{}, 0, 0};
    if (const auto found = sum.find({}); found != sum.end()) {
        all.constant = found->second;
        sum.erase(found);
    }
    all.factor = sum.begin()->second;
    add(all.rest, sum, 1 / all.factor);
    return all;
}

/// The expression in the tree whose absolute value is the sum; null if there is none.
Node inside_absolute(const Node& tree, const Sum& sum) {
    if (is_operation(tree, Op::absolute) && sum_of(tree) == sum) return tree->children[0];
    for (const Node& child : tree->children)
        if (Node found = inside_absolute(child, sum)) return found;
    return nullptr;
}

/// Whether the name is used, other than in the index of a table.
bool has_outside_indexes(const Node& tree, const std::string& name) {
    if (tree->kind == Kind::index) return false;
    if (tree->kind == Kind::name) return tree->text == name;
    return std::any_of(tree->children.begin(), tree->children.end(),
                       [&name](const Node& child) { return has_outside_indexes(child, name); });
}

/// Whether it is a name, an entry of a table or a number, perhaps with a sign.
bool is_bare_value(const Node& side) {
    const Node& inside = is_operation(side, Op::negate) ? side->children[0] : side;
    return inside->kind == Kind::name || inside->kind == Kind::index || inside->kind == Kind::number;
}

/// The first if() with one expression as both branches; null if there is none.
Node idle_choice(const Node& tree) {
    if (is_operation(tree, Op::select) && is_one_expression(tree->children[1], tree->children[2])) return tree;
    for (const Node& child : tree->children)
        if (Node found = idle_choice(child)) return found;
    return nullptr;
}

/// With more combinations of values, only single comparisons are checked.
constexpr std::size_t most_combinations = 1000;

class Form {
public:
    Form(const Node& condition, const Facts& facts, const Decide& decide, std::vector<std::string> bound)
        : condition_(condition), facts_(facts), decide_(decide), bound_(std::move(bound)) {
        gather(condition);
    }

    std::optional<Idle> find() const {
        if (idle_ || !has_value(condition_, bound_)) return idle_;
        for (const Leaf& leaf : leaves_)
            if (const auto always = constant(leaf))
                return Idle{*always ? Idle::Why::holds : Idle::Why::fails, leaf.node};
        std::size_t count = 1;
        for (const Unknown& unknown : unknowns_) {
            count *= unknown.samples().size();
            if (count == 0 || count > most_combinations) return cancelled_;
        }
        const std::optional<Idle> found = find_over_all();
        return found ? found : cancelled_;
    }

private:
    void gather(const Node& node) {
        if (idle_) return;
        if (is_junction(node)) {
            for (const Node& child : node->children) gather(child);
            return;
        }
        if (is_comparison(node)) return gather_comparison(node);
        if (node->kind == Kind::reduction) {
            std::vector<std::string> bound = bound_;
            bound.push_back(node->text);
            const Facts facts = facts_in(node);
            idle_ = Form(node->children.back(), facts, decide_, std::move(bound)).find();
        }
        add_condition(node);
    }

    /// The facts, and those about the variable of a loop over typed numbers.
    Facts facts_in(const Node& loop) const {
        Facts facts = facts_;
        const Node variable = make_name(loop->text);
        // What is known of an entry of a table holds whatever the variable in its index is.
        std::erase_if(facts, [&](const Node& fact) { return has_outside_indexes(fact, loop->text); });
        facts.push_back(make(Op::equals, {variable, make(Op::floor, {variable})}));
        const auto add_end = [&](Op op, const Node& end) {
            if (const auto number = number_in(sum_of(end)))
                facts.push_back(make(op, {variable, parse(numerics::rational_text(*number))}));
        };
        add_end(Op::greater_equal, loop->children[0]);
        add_end(Op::less_equal, loop->children[1]);
        return facts;
    }

    bool has_variable(const Node& node) const {
        const std::vector<std::string> names = free_names(node);
        return std::any_of(names.begin(), names.end(), [this](const std::string& name) {
            return std::find(bound_.begin(), bound_.end(), name) != bound_.end();
        });
    }

    void gather_comparison(const Node& node) {
        // Facts order infinities too, but what follows computes with finite numbers.
        const bool is_bare = is_bare_value(node->children[0]) && is_bare_value(node->children[1]);
        if (!is_bare && may_be_infinite(node)) {
            if (equal(node->children[0], node->children[1])) idle_ = Idle{Idle::Why::itself, node};
            return add_condition(node);
        }
        const Node left = written_out(node->children[0]);
        const Node right = written_out(node->children[1]);
        const bool is_of_values = has_value(node, bound_);
        Sum difference = side_of(left);
        add(difference, side_of(right), -1);
        if (equal(node->children[0], node->children[1]) || (is_of_values && difference.empty())) {
            idle_ = Idle{Idle::Why::itself, node};
            return;
        }
        if (!is_of_values && (number_in(difference) || !has_variable(node))) return add_condition(node);
        if (const auto number = number_in(difference)) {
            idle_ = Idle{compares(node->op, *number, Rational(0)) ? Idle::Why::holds : Idle::Why::fails, node};
            return;
        }
        if (!cancelled_ && is_of_values)
            if (const auto name = cancelled_name(make(Op::subtract, {node->children[0], node->children[1]})))
                cancelled_ = Idle{Idle::Why::cancels, node, *name};
        add_comparison(node, make(Op::subtract, {left, right}), multiple_of(difference));
    }

    void add_comparison(const Node& node, const Node& sides, Multiple of) {
        Leaf leaf{node, of.factor > 0 ? node->op : mirrored(node->op), -of.constant / of.factor};
        if (const Node inside = inside_absolute(sides, of.rest)) {
            of = multiple_of(sum_of(inside));
            leaf.radius = leaf.threshold;
            leaf.threshold = of.factor > 0 ? Rational(-of.constant) : of.constant;
            // Other multiples of one value may be other statements of a source: they stay other unknowns.
            const Sum rest = std::exchange(of.rest, {});
            add(of.rest, rest, of.factor > 0 ? of.factor : Rational(-of.factor));
        }
        leaf.unknown = unknown_of(text_of(of.rest), false);
        Bounds bounds(facts_);
        bounds.learn(sides);
        Unknown& unknown = unknowns_[leaf.unknown];
        unknown.range = bounds.of(of.rest);
        const Rational radius = leaf.radius.value_or(0);
        unknown.thresholds.insert({leaf.threshold - radius, leaf.threshold + radius});
        leaves_.push_back(std::move(leaf));
    }

    void add_condition(const Node& node) {
        Leaf leaf{node};
        leaf.unknown = unknown_of(print(node), true);
        leaves_.push_back(std::move(leaf));
    }

    std::size_t unknown_of(std::string text, bool is_condition) {
        const auto known = std::find_if(unknowns_.begin(), unknowns_.end(), [&](const Unknown& each) {
            return each.is_condition == is_condition && each.text == text;
        });
        if (known != unknowns_.end()) return static_cast<std::size_t>(known - unknowns_.begin());
        unknowns_.push_back({std::move(text), {}, {}, is_condition});
        return unknowns_.size() - 1;
    }

    /// The truth value of a comparison for all values of its unknown, if it is the same for all.
    std::optional<bool> constant(const Leaf& leaf) const {
        const Unknown& unknown = unknowns_[leaf.unknown];
        if (unknown.is_condition) return std::nullopt;
        std::set<bool> found;
        for (const Rational& sample : unknown.samples()) found.insert(leaf.holds_at(sample));
        if (found.size() == 1) return *found.begin();
        if (!decide_ || may_be_infinite(leaf.node)) return std::nullopt;
        const bool is_equality = leaf.node->op == Op::equals || leaf.node->op == Op::differs;
        if (is_equality && has_fraction(leaf.node)) return leaf.node->op == Op::differs;
        return decide(leaf.node);
    }

    bool may_be_infinite(const Node& node) const { return Bounds(facts_).may_be_infinite(node); }

    std::optional<bool> decide(const Node& comparison) const {
        const Bounds bounds(facts_);
        return decide_(comparison, [&bounds](const Node& name) { return bounds.of_name(name); });
    }

    /// Whether one side is an integer for all values of the names, and the other a number that is not.
    bool has_fraction(const Node& comparison) const {
        const auto is_fraction = [this](const Node& side) {
            return !has_value(side, {}) && decide(make(Op::less, {make(Op::floor, {side}), side})) == true;
        };
        const auto is_whole = [this](const Node& side) {
            Bounds bounds(facts_);
            bounds.learn(side);
            return bounds.of(sum_of(side)).is_whole;
        };
        const Node &left = comparison->children[0], &right = comparison->children[1];
        return (is_whole(left) && is_fraction(right)) || (is_fraction(left) && is_whole(right));
    }

    /// The condition, with one of its leaves set.
    bool evaluate(const Node& node, const std::vector<bool>& values, std::size_t& next) const {
        if (!is_junction(node)) return values[next++];
        const bool first = evaluate(node->children[0], values, next);
        if (node->op == Op::logical_not) return !first;
        const bool second = evaluate(node->children[1], values, next);
        return node->op == Op::logical_and ? first && second : first || second;
    }
    bool evaluate(const std::vector<bool>& values) const {
        std::size_t next = 0;
        return evaluate(condition_, values, next);
    }

    /// Tries all combinations of values to find whether the condition is constant, and which leaves affect it.
    std::optional<Idle> find_over_all() const {
        std::vector<std::vector<Rational>> samples;
        for (const Unknown& unknown : unknowns_) samples.push_back(unknown.samples());
        std::vector<std::size_t> at(samples.size(), 0);
        std::set<bool> found;
        std::vector<std::set<bool>> replaceable(leaves_.size(), {false, true});
        bool has_more = true;
        while (has_more) {
            std::vector<Rational> numbers;
            for (std::size_t i = 0; i < samples.size(); ++i) numbers.push_back(samples[i][at[i]]);
            std::vector<bool> values;
            for (const Leaf& leaf : leaves_) values.push_back(leaf.holds_at(numbers[leaf.unknown]));
            const bool is_true = evaluate(values);
            found.insert(is_true);
            for (std::size_t i = 0; i < leaves_.size(); ++i) {
                std::vector<bool> changed = values;
                changed[i] = !changed[i];
                if (evaluate(changed) != is_true) replaceable[i].erase(!values[i]);
            }
            has_more = false;
            for (std::size_t i = 0; i < at.size() && !has_more; ++i) {
                has_more = ++at[i] < samples[i].size();
                if (!has_more) at[i] = 0;
            }
        }
        if (found.size() == 1) return Idle{*found.begin() ? Idle::Why::holds : Idle::Why::fails, condition_};
        for (std::size_t i = leaves_.size(); i-- > 0;)
            if (!replaceable[i].empty()) return Idle{Idle::Why::rest, leaves_[i].node};
        return std::nullopt;
    }

    Node condition_;
    const Facts& facts_;
    const Decide& decide_;
    std::vector<std::string> bound_;
    std::vector<Leaf> leaves_;
    std::vector<Unknown> unknowns_;
    std::optional<Idle> idle_;
    std::optional<Idle> cancelled_;  ///< reported only if nothing else is
};

}  // namespace

void add(Sum& to, const Sum& terms, const Rational& times) {
    for (const auto& [factors, number] : terms) {
        const Rational term = number * times;
        if (term.is_zero()) continue;
        const auto [sum, is_new] = to.try_emplace(factors, term);
        if (is_new) continue;
        sum->second += term;
        if (sum->second.is_zero()) to.erase(sum);
    }
}

Sum sum_of(const Node& node) {
    if (node->kind == Kind::number) {
        const auto value = numerics::read_rational(node->text);
        return !value ? whole(node) : value->is_zero() ? Sum{} : Sum{{{}, *value}};
    }
    Sum sum;
    if (is_operation(node, Op::negate)) {
        add(sum, sum_of(node->children[0]), -1);
    } else if (is_operation(node, Op::add) || is_operation(node, Op::subtract)) {
        sum = sum_of(node->children[0]);
        add(sum, sum_of(node->children[1]), node->op == Op::add ? 1 : -1);
    } else if (is_operation(node, Op::multiply)) {
        sum = product(sum_of(node->children[0]), sum_of(node->children[1]));
    } else if (is_operation(node, Op::divide)) {
        const auto divisor = number_in(sum_of(node->children[1]));
        if (!divisor || *divisor == 0) return whole(node);
        add(sum, sum_of(node->children[0]), 1 / *divisor);
    } else if (is_operation(node, Op::absolute)) {
        const auto number = number_in(sum_of(node->children[0]));
        if (!number) return whole(node);
        if (*number != 0) sum = {{{}, *number < 0 ? Rational(-*number) : *number}};
    } else if (is_operation(node, Op::minimum) || is_operation(node, Op::maximum) || is_operation(node, Op::select)) {
        // The minimum of an expression and itself, and two equal branches.
        const std::size_t first = node->op == Op::select ? 1 : 0;
        sum = sum_of(node->children[first]);
        if (sum != sum_of(node->children[first + 1])) sum = whole(node);
    } else {
        sum = whole(node);
    }
    return sum;
}

std::optional<Rational> number_in(const Sum& sum) {
    if (sum.empty()) return Rational(0);
    const bool is_number = sum.size() == 1 && sum.begin()->first.empty();
    return is_number ? std::optional(sum.begin()->second) : std::nullopt;
}

bool is_one_expression(const Node& a, const Node& b) {
    return sum_of(a) == sum_of(b);
}

Facts read_facts(std::string_view text) {
    Facts facts, open = {parse(std::string(text))};
    while (!open.empty()) {
        const Node part = std::move(open.back());
        open.pop_back();
        if (is_operation(part, Op::logical_and))
            open.insert(open.end(), part->children.rbegin(), part->children.rend());
        else
            facts.push_back(part);
    }
    return facts;
}

std::optional<Idle> find_idle(const Node& condition, const Facts& facts, const Decide& decide) {
    std::optional<Idle> found = Form(condition, facts, decide, {}).find();
    if (const Node choice = found ? nullptr : idle_choice(condition)) found = Idle{Idle::Why::chooses, choice};
    return found;
}

Facts facts_of_pairs(bool is_causal) {
    const std::string of_all =
        "q >= 0 and k >= 0 and L >= 1 and q < L and k < L and n <= q and q == floor(q) and k == floor(k) and "
        "n == floor(n)";
    return read_facts(of_all + (is_causal ? " and n >= 0 and q >= k" : ""));
}

std::optional<Idle> find_idle_of_pairs(const Node& condition, const Facts& facts, const Decide& decide) {
    if (auto found = find_idle(condition, facts, decide)) return found;
    const Node by_places = substitute(condition, {{"n", parse("q - k")}});
    const std::optional<Idle> found = find_idle(by_places, facts, decide);
    // q cancels out of q - k < q, but n < q depends on both.
    return found && found->why != Idle::Why::cancels ? found : std::nullopt;
}

std::optional<std::string> cancelled_name(const Node& tree) {
    constexpr std::size_t largest = 500;
    if (tree->nodes > largest) return std::nullopt;
    for (const std::string& name : free_names(tree)) {
        const Node other = substitute(tree, {{name, make_name(name + " of another value")}});
        if (proves_equal(tree, other)) return name;
    }
    return std::nullopt;
}

}  // namespace farfield::formula
