// Derivatives of one operator by its arguments, enclosed: what its row states, as formula::derivative() has it.
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

    /// Zero wherever it is asked.
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

/// Whether a condition is shown to hold over an operator's arguments.
class ConditionOverArguments {
public:
    ConditionOverArguments(const formula::Condition& condition, std::size_t arity);
    bool holds(const std::array<numerics::Interval, 3>& arguments);

private:
    formula::Condition::Kind kind_;
    std::optional<OverArguments> condition_;
};

/// Of a real operator with real arguments. Rounding is not among them: its slope is nobody's.
struct LocalSlopes {
    LocalSlopes(formula::Op op, std::size_t arity);

    ConditionOverArguments lipschitz;
    ConditionOverArguments smooth;
    std::vector<OverArguments> first;   ///< [argument]
    std::vector<OverArguments> second;  ///< [argument][argument]
};

/// Those of each operator, made when they are first asked for.
class SlopesOfOperators {
public:
    LocalSlopes& of(formula::Op op, std::size_t arity);

private:
    std::map<formula::Op, LocalSlopes> known_;
};

}  // namespace farfield::evaluate
