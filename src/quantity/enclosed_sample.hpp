// Statistics of samples whose values are known within intervals.
#pragma once

#include <vector>

#include <farfield/core/table.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/sample.hpp"

namespace farfield::quantity {

struct EnclosedSample {
    std::vector<numerics::Interval> values;
    core::Rigour rigour = core::Rigour::exact;  ///< the least of its values
};

EnclosedSample enclosed(const std::vector<Observation>& observations);

/// The number of values as an interval.
numerics::Interval count(std::size_t n);
numerics::Interval mean(const std::vector<numerics::Interval>& values);
/// The differences from the mean.
std::vector<numerics::Interval> deviations(const std::vector<numerics::Interval>& values);
/// numerics::squaring_exponent of the values' ends.
int squaring_exponent(const std::vector<numerics::Interval>& values);
/// value / 2^exponent.
numerics::Interval scaled(const numerics::Interval& value, int exponent);
std::vector<numerics::Interval> scaled(std::vector<numerics::Interval> values, int exponent);
/// The two-sided p of Student's t. It falls as |t| or the degrees of freedom rise, so two ends enclose it. If there are
/// more than 10^6 degrees of freedom, its lower end is 0. Undefined if t or the degrees of freedom are.
numerics::Interval p_value(const numerics::Interval& t, const numerics::Interval& freedom);
/// A cell of a statistic of samples of this rigour. A statistic without an interval, or of samples without rigour, has
/// no enclosure.
core::Cell statistic_cell(double number, const numerics::Interval& interval, core::Rigour rigour);

}  // namespace farfield::quantity
