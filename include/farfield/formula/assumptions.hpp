// What a proof may assume of a formula: conditions under which it is defined, continuous, differentiable or monotone.
//
// They are built from the statements of the operators (operators.def) and are themselves formulas of the language, so
// that any evaluator can decide them. A condition decided as true over a whole box, by interval arithmetic, holds at
// every point of the box. An operator that states nothing gives a condition that is never true.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

/// How regular a formula is; each value includes the previous ones. `lipschitz` allows kinks, `smooth` is analytic.
enum class Regularity { defined, continuous, lipschitz, smooth };

/// A condition that is known to hold always, is never known to hold, or depends on the names in `tree`.
struct Condition {
    enum class Kind { never, always, depends };
    Kind kind = Kind::never;
    Node tree;  ///< a formula of type boolean; only of `depends`

    static Condition always() { return {Kind::always, {}}; }
    static Condition never() { return {}; }
    static Condition of(Node tree) { return {Kind::depends, std::move(tree)}; }
    bool is_always() const { return kind == Kind::always; }
};

Condition both(const Condition& a, const Condition& b);
Condition either(const Condition& a, const Condition& b);

/// The condition under which every part of the formula that is computed has a real value, neither NaN nor infinite,
/// and the formula, as a function of `variables` taken as reals, is as regular as asked. Names that are not variables
/// count as constants. For a conditional, only the branch that is taken must satisfy the condition. For a formula of
/// type boolean, `continuous` and above mean that its truth value does not change nearby.
Condition regular(const Node& tree, Regularity regularity, const std::vector<std::string>& variables = {});

/// Whether the operator may jump where it is defined: its row does not state the same for `defined` and `continuous`.
bool may_jump(Op op);

/// The condition under which the formula has a real value: regular(tree, Regularity::defined).
Condition defined(const Node& tree);

/// The same condition, but lookups that do not depend on the variables and a literal `inf` count as values, as in
/// conditions on results.
Condition regular_by_inputs(const Node& tree, Regularity regularity, const std::vector<std::string>& variables);
Condition defined_by_inputs(const Node& tree);
/// defined_by_inputs() of a condition on results that may be missing: each that decides an if() must have a value.
Condition defined_by_results(const Node& tree);

/// Conditions under which the formula is monotone in one variable. They hold for intervals: decided as true over a box
/// of reals, the formula is monotone on the box. Both include that the formula is defined there.
struct Trend {
    Condition rises;           ///< never decreases
    Condition rises_strictly;  ///< increases
    Condition falls;
    Condition falls_strictly;
};
Trend trend(const Node& tree, const std::string& variable);

/// What the values of an operator obey: each real value is in the relation `op` (less, less_equal, greater,
/// greater_equal) to the value of `side`, unless the condition holds. If `op` is equals, each value is an integer.
struct ValueLaw {
    Condition unless;
    Op op;
    Node side;
};

/// The laws that the row of an operation or reduction states (operators.def, .values), for its arguments.
std::vector<ValueLaw> value_laws(const Node& operation);

}  // namespace farfield::formula
