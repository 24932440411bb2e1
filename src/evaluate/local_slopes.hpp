// Enclosures of the derivatives of one operator with respect to its arguments, as its row states them for
// formula::derivative().
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/enclosure_arithmetic.hpp"

namespace farfield::evaluate {

/// A formula over an operator's arguments a, b, c, ready to be enclosed.
class OverArguments {
public:
    OverArguments(const formula::Node& tree, std::size_t arity);

    /// Whether the formula is zero everywhere.
    bool is_zero() const { return is_zero_; }
    numerics::Interval real(const std::array<numerics::Interval, 3>& arguments);
    numerics::Truth truth(const std::array<numerics::Interval, 3>& arguments);

private:
    using Run = Interpreter<EnclosureArithmetic<FastIntervals>, core::Enclosure>;
    void run(const std::array<numerics::Interval, 3>& arguments);

    bool is_zero_;
    std::size_t arity_;
    std::unique_ptr<formula::Program> program_;
    std::unique_ptr<Run> interpreter_;
    bool has_run_ = false;
};

/// Whether a condition is proved to hold over an operator's arguments.
class ConditionOverArguments {
public:
    ConditionOverArguments(const formula::Condition& condition, std::size_t arity);
    bool holds(const std::array<numerics::Interval, 3>& arguments);

private:
    formula::Condition::Kind kind_;
    std::optional<OverArguments> condition_;
};

/// The slopes of a real operator with real arguments. Rounding operators are excluded, because they have no slope.
struct LocalSlopes {
    LocalSlopes(formula::Op op, std::size_t arity);

    ConditionOverArguments lipschitz;
    ConditionOverArguments smooth;
    std::vector<OverArguments> first;   ///< [argument]
    std::vector<OverArguments> second;  ///< [argument][argument]
};

/// The slopes of each operator, created at the first request.
class SlopesOfOperators {
public:
    LocalSlopes& of(formula::Op op, std::size_t arity);

private:
    std::map<formula::Op, LocalSlopes> known_;
};

}  // namespace farfield::evaluate
