// A formula over boxes: what it may be, where it has a value, how it slopes. What proofs by subdivision rest on.
//
// Nothing is assumed of a formula but what its operators state (formula/assumptions.hpp): an enclosure of its values is
// one of real numbers only where the formula is shown to be defined, an enclosure of its slope serves the mean value
// theorem only where the formula is shown to be Lipschitz-continuous.
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

/// Whether nothing is known of a value.
bool is_unknown(const core::Enclosure& enclosure);

/// A condition over boxes: yes where it holds at every point of the box.
class BoxCondition {
public:
    BoxCondition(const formula::Condition& condition, const Domain& domain);

    bool is_always() const { return kind_ == formula::Condition::Kind::always; }
    bool is_never() const { return kind_ == formula::Condition::Kind::never; }
    std::vector<evaluate::Truth> decide(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// Decided fast and, where that leaves it open, rigorously.
    bool holds(const Box& box) const;

private:
    const Domain& domain_;
    formula::Condition::Kind kind_;
    std::optional<formula::Program> program_;
};

/// A formula whose free names are a domain's variables, ready to be enclosed.
class BoxFunction {
public:
    /// Values count only where `has_value` is shown to hold: of the formula itself, that each part of it has a value.
    BoxFunction(const formula::Node& tree, const Domain& domain, const formula::Condition& has_value);
    BoxFunction(const formula::Node& tree, const Domain& domain) : BoxFunction(tree, domain, formula::defined(tree)) {}

    /// An enclosure of all values on each box; the whole line where the formula is not shown to have a value.
    std::vector<core::Enclosure> over(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// The condition under which its values count.
    const BoxCondition& has_value() const { return has_value_; }

private:
    const Domain& domain_;
    formula::Program program_;
    BoxCondition has_value_;
};

/// The partial derivative of a formula over boxes, its variable taken as a real (that of a grid between the first and
/// the last value). At kinks, all slopes of both sides are enclosed, so that for any two points of a box that differ in
/// that variable alone f(y) - f(x) = s (y - x) with some s of the enclosure.
class BoxSlope {
public:
    BoxSlope(const formula::Node& tree, const std::string& variable, const Domain& domain);

    /// The whole line where the formula is not shown to be Lipschitz-continuous.
    std::vector<core::Enclosure> over(const std::vector<Box>& boxes, evaluate::Enclosing how) const;
    /// The derivative as a formula.
    const formula::Node& tree() const { return tree_; }

private:
    formula::Node tree_;
    BoxFunction slope_;
};

/// A box of reals or grid values with no value of the formula inside or on it, or not shown to have one; empty if the
/// formula has a value on all of the domain. Looks at `most` boxes.
struct WithoutValue {
    Box box;
    bool is_certain;  ///< there is a point without a value; otherwise it is not known
};
std::optional<WithoutValue> find_without_value(const BoxCondition& has_value, const Domain& domain, std::size_t most,
                                               const std::function<bool()>& interrupted);

/// The note of a result that is undecided for that reason.
std::string describe(const WithoutValue& found, const Domain& domain);

}  // namespace farfield::quantity
