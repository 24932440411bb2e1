// The second implementation of the formula language: text to value, by Arb, from docs/formula.md alone.
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
    /// Whether the name is free in it.
    bool uses(std::string_view name) const;

private:
    std::shared_ptr<const Impl> impl_;
};

/// Throws recheck::Unprovable (recheck/tree.hpp), a std::runtime_error, with what is wrong.
Expression parse(std::string_view text);

/// Where a variable lies: both ends as decimals ("0.1", "1e-3"), fractions ("1/3") or doubles in hexadecimal, taken
/// exactly. Ends that are equal are a point.
struct Ends {
    std::string lo;
    std::string hi;
};
using Environment = std::map<std::string, Ends>;

/// What is known of a value.
class Value {
public:
    struct Impl;
    explicit Value(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

    /// Whether the formula has a real value: at every point of the box, at none, or neither is known. Infinities are no
    /// real values.
    Truth is_defined() const;
    /// 1 or -1 of a value that is certainly inf or -inf, else 0.
    int infinite() const;
    /// Whether it is known as a rational.
    bool is_exact() const;
    /// Bounds wherever the formula has a value, rounded outward; infinite where there are none.
    double lower() const;
    double upper() const;
    /// The ends in decimal; a value known exactly as a fraction.
    std::string text(int digits = 30) const;
    /// Whether the value is within these ends (read as Ends), whatever it is; "no" if it is not, whatever it is.
    Truth is_within(const std::string& lo, const std::string& hi) const;

private:
    std::shared_ptr<const Impl> impl_;
};

/// The value on the box of the environment, by natural interval evaluation at this precision. A variable that is named
/// in the formula and not in the environment throws Unprovable, as does a reduction over more than 2e7 values.
Value evaluate(const Expression& expression, const Environment& environment, long bits = 128);
Truth decide(const Expression& condition, const Environment& environment, long bits = 128);

/// The value and its derivatives in one variable, the others anywhere in their intervals. `first` bounds every slope of
/// a function that is continuous (at kinks, those to both sides); `second` is meant only of a smooth one.
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
