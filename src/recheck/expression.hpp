// The second implementation of the formula language: evaluates texts with Arb. It was written only from
// docs/formula.md.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "recheck/truth.hpp"

namespace farfield::recheck {

/// A formula or a condition. Cheap to copy.
class Expression {
public:
    struct Impl;
    explicit Expression(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
    const Impl& impl() const { return *impl_; }
    bool is_condition() const;
    /// Whether the name is free in the expression.
    bool uses(std::string_view name) const;

private:
    std::shared_ptr<const Impl> impl_;
};

/// Throws recheck::Unprovable (recheck/tree.hpp), a std::runtime_error that states the problem.
Expression parse(std::string_view text);

/// The interval of a variable: both ends are exact decimals ("0.1", "1e-3"), fractions ("1/3") or hexadecimal doubles.
/// Equal ends are a point.
struct Ends {
    std::string lo;
    std::string hi;
};
using Environment = std::map<std::string, Ends>;

/// What is known about a value.
class Value {
public:
    struct Impl;
    explicit Value(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

    /// Whether the formula has a real value at every point of the box, at none, or neither is known. Infinities are not
    /// real values.
    Truth is_defined() const;
    /// 1 or -1 for a value that is certainly inf or -inf, otherwise 0.
    int infinite() const;
    /// Whether it is known to be rational.
    bool is_exact() const;
    /// Bounds of the values that exist, rounded outward; infinite if there are no bounds.
    double lower() const;
    double upper() const;
    /// The ends as decimals; an exactly known value as a fraction.
    std::string text(int digits = 30) const;
    /// "yes" if all possible values are within these ends (read as Ends), "no" if none is.
    Truth is_within(const std::string& lo, const std::string& hi) const;

private:
    std::shared_ptr<const Impl> impl_;
};

/// The value on the box of the environment, by natural interval evaluation at this precision. Throws Unprovable for a
/// variable of the formula that is missing in the environment, and for a reduction over more than 2e7 values.
Value evaluate(const Expression& expression, const Environment& environment, long bits = 128);
Truth decide(const Expression& condition, const Environment& environment, long bits = 128);

/// The value and its derivatives in one variable, the others anywhere in their intervals. `first` bounds every slope of
/// a continuous function (at kinks, those on both sides); `second` applies only to a smooth function.
struct Slope {
    Value value;
    Value first;
    Value second;
    bool is_continuous = false;
    bool is_smooth = false;
};
Slope differentiate(const Expression& expression, const Environment& environment, const std::string& variable,
                    long bits = 128);

}  // namespace farfield::recheck
