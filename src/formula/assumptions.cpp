#include <farfield/formula/assumptions.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include <farfield/core/error.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "formula/comparison.hpp"
#include "numerics/rational.hpp"

namespace farfield::formula {
namespace {

constexpr std::size_t most_arguments = 3;
constexpr std::array<const char*, most_arguments> argument_names = {"a", "b", "c"};

/// The statements of an operator's row; an empty one states nothing.
struct Statements {
    std::string_view defined{}, continuous{}, lipschitz{}, smooth{};
    std::array<std::string_view, most_arguments> rises{}, falls{}, strict{};
    std::string_view values{};
};

/// One row of operators.def: its statements, parsed. A statement that is missing is a null tree.
struct Row {
    std::array<Node, 4> regular;  ///< by Regularity
    std::array<Node, most_arguments> rises, falls, strict;
    std::vector<ValueLaw> values;  ///< over the names of the arguments
};

Node parsed(std::string_view statement) {
    return statement.empty() ? nullptr : parse(Source{std::string(statement), {}});
}

/// A statement about values: parts joined by `and`, each `it OP side`, or a condition `or` that.
void add_laws(const Node& statement, Condition unless, std::vector<ValueLaw>& laws) {
    if (!statement) return;
    if (statement->op == Op::logical_and) {
        for (const Node& part : statement->children) add_laws(part, unless, laws);
    } else if (statement->op == Op::logical_or) {
        add_laws(statement->children[1], Condition::of(statement->children[0]), laws);
    } else {
        laws.push_back({std::move(unless), statement->op, statement->children[1]});
    }
}

Row make_row(const Statements& statements) {
    Row row{{parsed(statements.defined), parsed(statements.continuous), parsed(statements.lipschitz),
             parsed(statements.smooth)},
            {},
            {},
            {},
            {}};
    add_laws(parsed(statements.values), Condition::never(), row.values);
    for (std::size_t i = 0; i < most_arguments; ++i) {
        row.rises[i] = parsed(statements.rises[i]);
        row.falls[i] = parsed(statements.falls[i]);
        row.strict[i] = parsed(statements.strict[i]);
    }
    return row;
}

/// The bounds of a library's function. One that rises strictly over all reals takes neither.
void add_bounds(double least, double greatest, bool is_rising, std::vector<ValueLaw>& laws) {
    const auto add = [&laws](Op op, double bound) {
        if (!std::isfinite(bound)) return;
        const Node side = make_number(numerics::rational_text(numerics::exactly(std::abs(bound))));
        laws.push_back({Condition::never(), op, bound < 0 ? make(Op::negate, {side}) : side});
    };
    add(is_rising ? Op::greater : Op::greater_equal, least);
    add(is_rising ? Op::less : Op::less_equal, greatest);
}

bool rises_everywhere(const Row& row) {
    const auto is_always = [](const Node& statement) { return statement && statement->text == "always"; };
    return is_always(row.rises[0]) && is_always(row.strict[0]);
}

std::vector<Row> make_assumptions() {
    std::vector<Row> rows(operators().size());
#define OPERATOR(...)
#define REDUCTION(...)
#define ASSUMES(name, ...) rows[static_cast<std::size_t>(Op::name)] = make_row(Statements{__VA_ARGS__});
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
    using numerics::infinity;
// NOLINTBEGIN(bugprone-macro-parentheses): the name of a reference
#define KNOWN(name, stem, at, value, low, high, least, greatest) \
    Row& name = rows[static_cast<std::size_t>(Op::name)];        \
    add_bounds(least, greatest, rises_everywhere(name), name.values);
// NOLINTEND(bugprone-macro-parentheses)
#include <farfield/numerics/functions.def>
    return rows;
}

const Row& row_of(Op op) {
    static const std::vector<Row> rows = make_assumptions();
    return rows[static_cast<std::size_t>(op)];
}

bool states_no_jump(const Row& row) {
    const Node& defined = row.regular[static_cast<std::size_t>(Regularity::defined)];
    const Node& continuous = row.regular[static_cast<std::size_t>(Regularity::continuous)];
    return defined && continuous && print(defined) == print(continuous);
}

Condition negated(const Node& tree) {
    return Condition::of(make(Op::logical_not, {tree}));
}

/// A number in the formula's text, of any size: a decimal below the smallest double is not 0.
std::optional<numerics::Rational> written(const Node& tree) {
    if (tree->kind == Kind::number) return numerics::read_rational(tree->text);
    if (tree->kind != Kind::operation || tree->op != Op::negate) return std::nullopt;
    const auto opposite = written(tree->children[0]);
    return opposite ? std::optional(numerics::Rational(-*opposite)) : std::nullopt;
}

/// A comparison of numbers only is decided here, exactly. Other comparisons are left to the caller, who knows the
/// names.
Condition comparison(const Node& tree) {
    if (!free_names(tree).empty() || !indexed_names(tree).empty()) return Condition::of(tree);
    const bool is_written = written(tree->children[0]) && written(tree->children[1]);
    const Node simple = is_written ? tree : simplify(tree);
    const auto left = written(simple->children[0]);
    const auto right = written(simple->children[1]);
    if (!left || !right) return Condition::of(tree);
    return compares(simple->op, *left, *right) ? Condition::always() : Condition::never();
}

/// What regular() and trend() share: which parts of a formula depend on the variables.
class Dependence {
public:
    explicit Dependence(std::vector<std::string> variables) : variables_(std::move(variables)) {}

    const std::vector<std::string>& variables() const { return variables_; }

    bool is_fixed(const Node& tree) {
        const auto known = known_.find(tree.get());
        if (known != known_.end()) return known->second;
        const std::vector<std::string> names = free_names(tree);
        const bool is_fixed = std::none_of(names.begin(), names.end(), [&](const std::string& name) {
            return std::find(variables_.begin(), variables_.end(), name) != variables_.end();
        });
        return known_.emplace(tree.get(), is_fixed).first->second;
    }

    /// A statement about the arguments as a condition on them.
    Condition stated(const Node& statement, const std::vector<Node>& arguments) {
        if (!statement) return Condition::never();
        if (statement->kind == Kind::name && statement->text == "always") return Condition::always();
        if (statement->kind == Kind::call && statement->text == "fixed") {
            const std::string& name = statement->children.front()->text;
            const auto at = std::find(argument_names.begin(), argument_names.end(), name) - argument_names.begin();
            return is_fixed(arguments[static_cast<std::size_t>(at)]) ? Condition::always() : Condition::never();
        }
        if (statement->kind == Kind::operation && statement->op == Op::logical_and) {
            const Condition first = stated(statement->children[0], arguments);
            return first.kind == Condition::Kind::never ? first
                                                        : both(first, stated(statement->children[1], arguments));
        }
        if (statement->kind == Kind::operation && statement->op == Op::logical_or) {
            const Condition first = stated(statement->children[0], arguments);
            return first.is_always() ? first : either(first, stated(statement->children[1], arguments));
        }
        std::vector<Replacement> replacements;
        for (std::size_t i = 0; i < arguments.size(); ++i) replacements.push_back({argument_names[i], arguments[i]});
        return comparison(substitute(statement, replacements));
    }

private:
    std::vector<std::string> variables_;
    std::unordered_map<const Tree*, bool> known_;
};

/// For all integers of the reduction's range.
Condition for_all_of(const Node& reduction, const Condition& body) {
    if (body.kind != Condition::Kind::depends) return body;
    return Condition::of(
        make_reduction(Op::for_all, reduction->text, reduction->children[0], reduction->children[1], body.tree));
}

Condition is_integer(const Node& tree) {
    return comparison(make(Op::equals, {make(Op::floor, {tree}), tree}));
}

class Regular {
public:
    /// Names and tables are inputs if it takes some; with `Lacking::possible`, an input may have no value, and one that
    /// decides an if() must have one.
    enum class Lacking { impossible, possible, decides };

    Regular(Regularity regularity, std::vector<std::string> variables, bool takes_inputs = false,
            Lacking lacking = Lacking::impossible)
        : regularity_(regularity), dependence_(std::move(variables)), takes_inputs_(takes_inputs), lacking_(lacking) {}

    Condition run(const Node& tree) {
        const auto known = known_.find(tree.get());
        if (known != known_.end()) return known->second;
        return known_.emplace(tree.get(), condition(tree)).first->second;
    }

private:
    Condition condition(const Node& tree) {
        switch (tree->kind) {
            case Kind::number: return Condition::always();
            case Kind::name:
                return takes_inputs_ ? exists(tree) : tree->text != "inf" ? Condition::always() : Condition::never();
            case Kind::operation: return operation(tree);
            case Kind::reduction: return reduction(tree);
            case Kind::index:
                return takes_inputs_ && dependence_.is_fixed(tree) ? both(parts(tree), exists(tree))
                                                                   : Condition::never();
            case Kind::call:
            case Kind::text: break;
        }
        return Condition::never();
    }

    /// A missing number is not comparable. Other operators pass it on, and a comparison with their result is undecided,
    /// but an if() would choose a branch by it.
    Condition exists(const Node& input) const {
        if (lacking_ != Lacking::decides) return Condition::always();
        return Condition::of(make(Op::less_equal, {input, make_name("inf")}));
    }

    Condition decides(const Node& condition) {
        if (lacking_ != Lacking::possible) return run(condition);
        return Regular(regularity_, dependence_.variables(), takes_inputs_, Lacking::decides).run(condition);
    }

    /// A part that does not depend on the variables only needs to be defined.
    Node statement(const Node& tree) {
        const Regularity asked = dependence_.is_fixed(tree) ? Regularity::defined : regularity_;
        return row_of(tree->op).regular[static_cast<std::size_t>(asked)];
    }

    Condition operation(const Node& tree) {
        const std::vector<Node>& x = tree->children;
        if (tree->op == Op::select) return select(tree);
        return both(parts(tree), dependence_.stated(statement(tree), x));
    }

    Condition parts(const Node& tree) {
        Condition result = Condition::always();
        for (const Node& child : tree->children) result = both(result, run(child));
        return result;
    }

    Condition select(const Node& tree) {
        const std::vector<Node>& x = tree->children;
        const Condition yes = run(x[1]);
        const Condition no = run(x[2]);
        const Condition branches = both(either(negated(x[0]), yes), either(Condition::of(x[0]), no));
        return both(both(decides(x[0]), branches), dependence_.stated(statement(tree), x));
    }

    /// An integral has a value where its enclosure shows one. As a function of the variables, it is as regular as its
    /// ends, and as its body is in the variables and the integration variable together, over the whole range of
    /// integration.
    Condition integral(const Node& tree) {
        const Condition ends = both(run(tree->children[0]), run(tree->children[1]));
        if (regularity_ == Regularity::defined || dependence_.is_fixed(tree)) return both(ends, has_finite(tree));
        std::vector<std::string> variables = dependence_.variables();
        variables.push_back(tree->text);
        const Condition body =
            Regular(regularity_, std::move(variables), takes_inputs_, lacking_).run(tree->children[2]);
        if (body.kind != Condition::Kind::depends) return both(ends, body);
        // The integral of 0 under the condition has an enclosure only if the condition holds on the whole interval.
        const Node nowhere = make(Op::divide, {make_number("0"), make_number("0")});
        const Node holds = make(Op::select, {body.tree, make_number("0"), nowhere});
        return both(ends,
                    has_finite(make_reduction(tree->op, tree->text, tree->children[0], tree->children[1], holds)));
    }

    static Condition has_finite(const Node& tree) {
        return Condition::of(make(Op::less, {make(Op::absolute, {tree}), make_name("inf")}));
    }

    Condition reduction(const Node& tree) {
        if (row(tree->op).integral) return integral(tree);
        Condition result = dependence_.stated(statement(tree), {tree->children[0], tree->children[1]});
        for (std::size_t i = 0; i < 2; ++i) {
            const Node& bound = tree->children[i];
            const bool may_vary = regularity_ == Regularity::defined || dependence_.is_fixed(bound);
            if (!may_vary) return Condition::never();
            result = both(both(result, run(bound)), is_integer(bound));
        }
        return both(result, for_all_of(tree, run(tree->children[2])));
    }

    Regularity regularity_;
    Dependence dependence_;
    bool takes_inputs_;
    Lacking lacking_;
    std::unordered_map<const Tree*, Condition> known_;
};

class Trends {
public:
    explicit Trends(const std::string& variable) : variable_(variable), dependence_({variable}) {}

    const Trend& run(const Node& tree) {
        const auto known = known_.find(tree.get());
        if (known != known_.end()) return known->second;
        Trend found = trend(tree);
        return known_.emplace(tree.get(), std::move(found)).first->second;
    }

private:
    Trend trend(const Node& tree) {
        if (dependence_.is_fixed(tree))
            return {Condition::always(), Condition::never(), Condition::always(), Condition::never()};
        if (tree->kind == Kind::name)
            return {Condition::always(), Condition::always(), Condition::never(), Condition::never()};
        if (tree->kind == Kind::reduction) return reduction(tree);
        const bool is_plain = tree->kind == Kind::operation && row(tree->op).result == Type::real;
        if (is_plain && tree->op == Op::select) return select(tree);
        return is_plain ? operation(tree) : Trend{};
    }

    /// How an operator changes with its i-th argument.
    struct Step {
        Condition rises, rises_strictly, falls, falls_strictly;
    };

    Step step(const Node& tree, std::size_t i) {
        const Row& row = row_of(tree->op);
        const Trend argument = run(tree->children[i]);
        const Condition up = dependence_.stated(row.rises[i], tree->children);
        const Condition down = dependence_.stated(row.falls[i], tree->children);
        const Condition strict = dependence_.stated(row.strict[i], tree->children);
        return {either(both(argument.rises, up), both(argument.falls, down)),
                both(strict, either(both(argument.rises_strictly, up), both(argument.falls_strictly, down))),
                either(both(argument.falls, up), both(argument.rises, down)),
                both(strict, either(both(argument.falls_strictly, up), both(argument.rises_strictly, down)))};
    }

    /// Goes from one value to a larger one, argument by argument: each step has the same direction, and one of them is
    /// strict.
    Trend operation(const Node& tree) {
        Trend result{Condition::always(), Condition::never(), Condition::always(), Condition::never()};
        for (std::size_t i = 0; i < tree->children.size(); ++i) {
            if (dependence_.is_fixed(tree->children[i])) continue;
            const Step next = step(tree, i);
            result.rises = both(result.rises, next.rises);
            result.falls = both(result.falls, next.falls);
            result.rises_strictly = either(result.rises_strictly, next.rises_strictly);
            result.falls_strictly = either(result.falls_strictly, next.falls_strictly);
        }
        result.rises_strictly = both(result.rises, result.rises_strictly);
        result.falls_strictly = both(result.falls, result.falls_strictly);
        return result;
    }

    Trend select(const Node& tree) {
        const Node& condition = tree->children[0];
        if (!dependence_.is_fixed(condition)) return {};
        const Trend yes = run(tree->children[1]);
        const Trend no = run(tree->children[2]);
        const auto chosen = [&](const Condition& a, const Condition& b) {
            return both(either(negated(condition), a), either(Condition::of(condition), b));
        };
        return {chosen(yes.rises, no.rises), chosen(yes.rises_strictly, no.rises_strictly), chosen(yes.falls, no.falls),
                chosen(yes.falls_strictly, no.falls_strictly)};
    }

    /// A sum has the trend of its terms, strictly if there are any terms.
    Trend reduction(const Node& tree) {
        const bool has_fixed_range = dependence_.is_fixed(tree->children[0]) && dependence_.is_fixed(tree->children[1]);
        const Row& row = row_of(tree->op);
        if (!has_fixed_range || !row.rises[0]) return {};
        const Trend body = run(tree->children[2]);
        const Condition up = dependence_.stated(row.rises[0], {tree->children[2]});
        const Condition strict = both(dependence_.stated(row.strict[0], {tree->children[2]}),
                                      comparison(make(Op::less_equal, {tree->children[0], tree->children[1]})));
        const auto all = [&](const Condition& condition) { return both(up, for_all_of(tree, condition)); };
        return {all(body.rises), both(strict, all(body.rises_strictly)), all(body.falls),
                both(strict, all(body.falls_strictly))};
    }

    std::string variable_;
    Dependence dependence_;
    std::unordered_map<const Tree*, Trend> known_;
};

}  // namespace

Condition both(const Condition& a, const Condition& b) {
    using enum Condition::Kind;
    if (a.kind == never || b.kind == never) return Condition::never();
    if (a.kind == always) return b;
    if (b.kind == always) return a;
    return a.tree == b.tree ? a : Condition::of(make(Op::logical_and, {a.tree, b.tree}));
}

Condition either(const Condition& a, const Condition& b) {
    using enum Condition::Kind;
    if (a.kind == always || b.kind == always) return Condition::always();
    if (a.kind == never) return b;
    if (b.kind == never) return a;
    return a.tree == b.tree ? a : Condition::of(make(Op::logical_or, {a.tree, b.tree}));
}

bool may_jump(Op op) {
    static const std::vector<bool> found = [] {
        std::vector<bool> jumps;
        for (std::size_t at = 0; at < operators().size(); ++at)
            jumps.push_back(!states_no_jump(row_of(static_cast<Op>(at))));
        return jumps;
    }();
    return found[static_cast<std::size_t>(op)];
}

Condition regular(const Node& tree, Regularity regularity, const std::vector<std::string>& variables) {
    return Regular(regularity, variables).run(tree);
}

Condition defined(const Node& tree) {
    return regular(tree, Regularity::defined);
}

Condition regular_by_inputs(const Node& tree, Regularity regularity, const std::vector<std::string>& variables) {
    return Regular(regularity, variables, true).run(tree);
}

Condition defined_by_inputs(const Node& tree) {
    return regular_by_inputs(tree, Regularity::defined, {});
}

Condition defined_by_results(const Node& tree) {
    return Regular(Regularity::defined, {}, true, Regular::Lacking::possible).run(tree);
}

std::vector<ValueLaw> value_laws(const Node& operation) {
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < std::min(operation->children.size(), most_arguments); ++i)
        replacements.push_back({argument_names[i], operation->children[i]});
    Dependence dependence({});
    std::vector<ValueLaw> laws;
    for (const ValueLaw& each : row_of(operation->op).values) {
        Condition unless = each.unless;
        if (unless.kind == Condition::Kind::depends) unless = dependence.stated(unless.tree, operation->children);
        if (!unless.is_always()) laws.push_back({unless, each.op, substitute(each.side, replacements)});
    }
    return laws;
}

Trend trend(const Node& tree, const std::string& variable) {
    const Condition has_value = defined(tree);
    Trend result = Trends(variable).run(tree);
    for (Condition* condition : {&result.rises, &result.rises_strictly, &result.falls, &result.falls_strictly})
        *condition = both(*condition, has_value);
    return result;
}

}  // namespace farfield::formula
