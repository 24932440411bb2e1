// Intervals for what rounding may do to a formula, whoever evaluates it.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/truth.hpp>

#include "evaluate/enclosure_arithmetic.hpp"

namespace farfield::tests {

/// Where an evaluator may land whose every operator is off by `epsilons` spacings of 1 times the result: an interval
/// around each result that far out. What is exactly zero stays so.
template <class Number, int epsilons>
class Loose : public evaluate::EnclosureArithmetic<evaluate::FastIntervals> {
    using Base = evaluate::EnclosureArithmetic<evaluate::FastIntervals>;
    using Limits = std::numeric_limits<Number>;

    static double moved(double end, double sign) {
        if (end == 0 || std::isinf(end)) return end;
        const double step = epsilons * (std::fabs(end) * Limits::epsilon() + static_cast<double>(Limits::denorm_min()));
        const double there = end + sign * step;
        return std::fabs(there) > static_cast<double>(Limits::max()) && there * sign > 0 ? sign * HUGE_VAL : there;
    }
    static numerics::Interval wider(const numerics::Interval& x) {
        return numerics::is_undefined(x) ? x : numerics::Interval{moved(x.lo, -1), moved(x.hi, 1)};
    }
    static numerics::Truth wider(numerics::Truth truth) { return truth; }

public:
    Real literal(double value, const std::string& text) const {
        const Real exact = Base::literal(value, text);
        return numerics::is_point(exact) ? exact : wider(exact);
    }

#define OPERATOR(name, spelling, fixity, precedence, result, arguments, latex, meaning) \
    template <class... Values>                                                          \
    auto name(const Values&... values) const {                                          \
        return wider(Base::name(values...));                                            \
    }
#define REDUCTION(name, spelling, type, empty, latex, meaning)     \
    template <class Value>                                         \
    auto name(const Value& accumulator, const Value& body) const { \
        return wider(Base::name(accumulator, body));               \
    }
#include <farfield/formula/operators.def>
#undef OPERATOR
#undef REDUCTION
};

}  // namespace farfield::tests
