// Computes bounds of sums from what is known of their names and of the values of functions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <farfield/formula/tree.hpp>

#include "formula/form.hpp"
#include "numerics/rational.hpp"

namespace farfield::formula {

/// An end of a range. No value is equal to an open end.
struct RangeEnd {
    numerics::Rational at;
    bool is_open = false;
};

/// The range of an expression's values wherever it has a value. An unknown end is empty.
struct ValueRange {
    std::optional<RangeEnd> least;
    std::optional<RangeEnd> greatest;
    bool is_whole = false;                  ///< all values are integers
    std::set<numerics::Rational> excluded;  ///< numbers that are none of the values

    bool contains(const numerics::Rational& value) const;
};

/// Bounds of sums, by the facts about names and by what the operators' rows say of the values of the functions that
/// learn() was given. Names stand for finite reals.
class Bounds {
public:
    explicit Bounds(const Facts& facts);

    /// Remembers the functions in an expression.
    void learn(const Node& node);
    ValueRange of(const Sum& sum) const;
    /// The range of a name or of an entry of a table, within the finite doubles.
    core::Enclosure of_name(const Node& name) const;
    /// Whether a name or an entry of a table in the expression may be infinite.
    bool may_be_infinite(const Node& tree) const;

private:
    /// Expressions that a factor is never above, or never below; it may be equal to one that is not open.
    struct Side {
        Sum sum;
        bool is_open;
    };
    struct Sides {
        std::vector<Side> below, above;
    };

    void add_side(const std::string& factor, Op op, Sum side);
    void add_fact(const Node& fact);
    void add_order(const Node& name, Op op, const Node& side);
    bool is_false(const Node& comparison) const;
    const std::vector<Side>& sides_of(const Factors& factors, bool is_greatest) const;
    std::optional<RangeEnd> end_of(const Sum& sum, bool is_greatest, int depth) const;
    std::optional<RangeEnd> end_of_terms(const Sum& sum, bool is_greatest) const;
    std::optional<RangeEnd> end_of_factors(const Factors& factors, bool is_greatest) const;

    std::map<std::string, Sides> sides_;  ///< by the text of the factor
    std::set<std::string> whole_;         ///< factors whose values are integers
    std::set<std::string> infinite_;      ///< factors whose values may be infinite
    std::map<std::string, std::set<numerics::Rational>> excluded_;
};

}  // namespace farfield::formula
