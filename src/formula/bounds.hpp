// Computes bounds of sums from the ranges of functions and the laws of min, max and abs.
#pragma once

#include <map>
#include <optional>
#include <string>

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

    bool contains(const numerics::Rational& value) const;
};

/// Bounds of sums, by the ranges of the functions that learn() was given. Names stand for finite reals; a name in
/// `least` is at least its number.
class Bounds {
public:
    explicit Bounds(const Least& least) : least_(&least) {}

    /// Remembers the functions in an expression.
    void learn(const Node& node);
    ValueRange of(const Sum& sum) const;

private:
    std::optional<RangeEnd> end_of(const Sum& sum, bool is_greatest, int depth) const;
    std::optional<RangeEnd> end_of_terms(const Sum& sum, bool is_greatest) const;
    std::optional<RangeEnd> end_of_factors(const Factors& factors, bool is_greatest) const;

    const Least* least_;
    std::map<std::string, Node> functions_;  ///< by the text of the factor
};

}  // namespace farfield::formula
