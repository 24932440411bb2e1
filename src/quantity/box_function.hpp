// A formula over boxes: its possible values, where it has a value, and its slopes. Proofs by subdivision use these.
//
// The only assumptions about a formula are the statements of its operators (formula/assumptions.hpp). An enclosure of
// its values contains only real numbers only where the formula is proved to be defined. An enclosure of its slope can
// be used in the mean value theorem only where the formula is proved to be Lipschitz-continuous.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/program.hpp>

#include "quantity/boxes.hpp"

namespace farfield::quantity {

/// Whether nothing is known about a value.
bool is_unknown(const core::Enclosure& enclosure);

/// A condition over boxes: yes if it holds at every point of the box.
class BoxCondition {
public:
    BoxCondition(const formula::Condition& condition, const Domain& domain);

    bool is_always() const { return kind_ == formula::Condition::Kind::always; }
    bool is_never() const { return kind_ == formula::Condition::Kind::never; }
    std::vector<evaluate::Truth> decide(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// Decides with fast arithmetic and, if the condition stays undecided, with rigorous arithmetic.
    bool holds(const Box& box) const;

private:
    const Domain& domain_;
    formula::Condition::Kind kind_;
    std::optional<formula::Program> program_;
};

/// A formula whose free names are a domain's variables, ready to be enclosed.
class BoxFunction {
public:
    /// Values count only where `has_value` is proved to hold; for the formula itself, this means that each part of it
    /// has a value.
    BoxFunction(const formula::Node& tree, const Domain& domain, const formula::Condition& has_value);
    BoxFunction(const formula::Node& tree, const Domain& domain) : BoxFunction(tree, domain, formula::defined(tree)) {}

    /// An enclosure of all values on each box; the whole line where the formula is not proved to have a value.
    std::vector<core::Enclosure> over(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// The condition under which its values count.
    const BoxCondition& has_value() const { return has_value_; }

private:
    const Domain& domain_;
    formula::Program program_;
    BoxCondition has_value_;
};

/// The partial derivative of a formula over boxes, where its variable is treated as a real (for a grid, between the
/// first and the last value). At kinks, all slopes of both sides are enclosed, so that for any two points of a box that
/// differ only in this variable, f(y) - f(x) = s (y - x) for some s in the enclosure.
class BoxSlope {
public:
    BoxSlope(const formula::Node& tree, const std::string& variable, const Domain& domain);

    /// The whole line where the formula is not proved to be Lipschitz-continuous.
    std::vector<core::Enclosure> over(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// The derivative as a formula.
    const formula::Node& tree() const { return tree_; }

private:
    formula::Node tree_;
    BoxFunction slope_;
};

/// A box of reals or grid values in which the formula has a point without a value, or is not proved to have a value
/// everywhere; empty if the formula has a value on all of the domain. Examines at most `most` boxes.
struct WithoutValue {
    Box box;
    bool is_certain;  ///< whether there is certainly a point without a value; otherwise this is unknown
};
std::optional<WithoutValue> find_without_value(const BoxCondition& has_value, const Domain& domain, std::size_t most,
                                               const std::function<bool()>& interrupted);

/// The note of a result that is undecided for that reason.
std::string describe(const WithoutValue& found, const Domain& domain);

}  // namespace farfield::quantity
