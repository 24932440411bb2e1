// Finds parts of formulas that are constant or redundant by their form, for all values of their names.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/tree.hpp>

#include "numerics/rational.hpp"

namespace farfield::formula {

/// A sum of terms: factors as sorted texts, and the number before them. Numbers have no factors.
using Factors = std::vector<std::string>;
using Sum = std::map<Factors, numerics::Rational>;
Sum sum_of(const Node& node);
/// Adds `times` times the terms; terms that cancel are removed.
void add(Sum& to, const Sum& terms, const numerics::Rational& times);
/// The number that it is, if it has no factor.
std::optional<numerics::Rational> number_in(const Sum& sum);

/// Whether both are one expression: sums and products in another order, numbers multiplied out.
bool is_one_expression(const Node& a, const Node& b);

/// Comparisons of a name, or of an entry of a table, with an expression that hold for all values of the names: `n >=
/// 0`, `a.max >= a.min`, `a[3] <= a.max`, `fit.points == 101`. A name that is an integer is compared with its floor:
/// `count == floor(count)`. `!=` excludes a number. `a[3] >= -inf` says that a value may be infinite; others are
/// finite.
using Facts = std::vector<Node>;

/// The comparisons that `and` joins in a text.
Facts read_facts(std::string_view text);

/// Why a condition, or a part of it, has no effect.
struct Idle {
    enum class Why {
        itself,   ///< it compares an expression with itself
        holds,    ///< it is true for all values of its names
        fails,    ///< it is false for all values of its names
        cancels,  ///< a name that cancels out of a comparison
        chooses,  ///< an if() with one expression as both branches
        rest      ///< the condition is the same without it
    };
    Why why;
    Node part;
    std::string name = {};  ///< that cancels
};

/// The finite values that a name, or an entry of a table, may have.
using RangeOf = std::function<core::Enclosure(const Node& name)>;

/// The truth value of a comparison for all values of its names in these ranges, if it is known.
using Decide = std::function<std::optional<bool>(const Node& comparison, const RangeOf& range_of)>;

/// The first part of the condition that has no effect. Names may have any real values that obey the facts. An
/// expression that is not a sum or a product may have any value that the row of its operator allows. Variables of
/// reductions and typed numbers are compared as they are. `decide` may know more about a comparison than its form says.
std::optional<Idle> find_idle(const Node& condition, const Facts& facts = {}, const Decide& decide = {});

/// What is true of a query q, a key k, their distance n and the length L. In causal attention, k is at most q.
Facts facts_of_pairs(bool is_causal);

/// find_idle() for a condition of queries q, keys k and distances n, which are q - k.
std::optional<Idle> find_idle_of_pairs(const Node& condition, const Facts& facts, const Decide& decide = {});

/// The first name that cancels out of the formula, such as b in `a + b - b`, or nothing. Values of a name at which the
/// formula has no value do not count: n cancels out of `n/n`.
std::optional<std::string> cancelled_name(const Node& tree);

/// The text of the part, as written.
std::string written(const Source& source, const Node& part);

/// A problem at the part that has no effect; `what` says what it is a condition of ("the values", "q and k").
core::Diagnostic describe(const Idle& idle, const Source& source, std::string_view what);

}  // namespace farfield::formula
