// A formula as a list of operations, each rounded to a number format: docs/quantities/rounding-error.md.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "recheck/format.hpp"

namespace farfield::recheck {

/// What is rounded. The results of operators such as fp32(x) always are.
struct RoundingModel {
    const Format* format = nullptr;  ///< the format of each operation's result; null: nothing else is rounded
    bool rounds_inputs = false;      ///< variables and literals are reals that are rounded first
};

/// One operation; equal operations are one step.
struct Step {
    Op op = Op::number;
    std::vector<std::size_t> parts;  ///< places of earlier operations
    std::size_t variable = 0;        ///< for a name that is a variable
    Number value;                    ///< for a literal or a constant
};

/// Sums and products are written out. Throws Unprovable for conditions, lookups and integrals, and for too many steps.
std::vector<Step> steps_of(const Node& tree, const std::vector<std::string>& variables);

/// The format of a rounding operator, otherwise null.
const Format* format_of(Op op);

/// The largest error of rounding a real number of at most this magnitude; infinite if it may overflow.
Float half_unit(const Format& format, const Float& magnitude);

/// The formula at a point, with rounding and without. Throws Unprovable if a rounding is undecided, or if inputs must
/// be numbers of the format and the point is not.
struct AtPoint {
    Number computed;
    Number exact;
};
AtPoint at_point(const std::vector<Step>& steps, const RoundingModel& model, const std::vector<Rational>& point);

/// What is known about a formula on a box. Let e be the difference of each operation's computed and exact value, and d
/// the error that its rounding adds. Between any two values of its arguments, an operator changes by slopes times the
/// changes of the arguments. Therefore e = d + the sum of slope times e of each argument, and e of the result is a sum
/// of weight times d. `value` contains computed and exact values, and `slope` all slopes between them; the weights are
/// computed from the last operation backward.
class Sweep {
public:
    Sweep(const std::vector<Step>& steps, const RoundingModel& model);

    using Box = std::vector<Interval>;
    /// A bound of |computed - exact| on the box; infinite if none is known.
    Float bound(const Box& box);
    /// After bound(): an enclosure of the exact value, and how much each side's width adds to the bound.
    const Interval& result() const { return result_; }
    const std::vector<Float>& by_side() const { return by_side_; }

private:
    struct State {
        std::vector<Interval> value;
        std::vector<Interval> added;                 ///< [-d, d]
        std::vector<std::array<Interval, 2>> slope;  ///< by each argument
        std::vector<std::array<Interval, 3>> bend;   ///< second derivatives: by the first twice, by both, by the second
        std::vector<Interval> weight;                ///< derivative of the result by an addition
        std::vector<bool> may_err;                   ///< whether rounding can have changed it
        bool is_known = true;
        bool is_smooth = true;  ///< `bend` is known for all operations that depend on a variable
    };

    void forward(const Box& box, State& state, const State* fixed) const;
    Interval leaf(std::size_t i, const Box& box, Interval& added) const;
    void apply(std::size_t i, State& state) const;
    void apply_any(std::size_t i, State& state) const;
    Interval rounding(std::size_t i, const State& state) const;
    bool is_exact_sum(const Step& step, const State& state) const;
    Float scaling(const Step& step, const State& state, const Interval& value) const;
    void backward(State& state) const;
    struct Literal {
        Interval value;
        Interval added;
    };
    Float by_mean_value(const Box& box, const Float& natural);
    std::vector<Interval> slopes_of_sum() const;

    const std::vector<Step>& steps_;
    RoundingModel model_;
    std::vector<Literal> literals_;
    State whole_;
    Interval result_;
    std::vector<Float> by_side_;
};

}  // namespace farfield::recheck
