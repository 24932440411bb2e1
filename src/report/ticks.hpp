// The marks of an axis and what stands at them.
#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace farfield::report {

struct Tick {
    double at = 0;
    std::string text;
};

/// Where on an axis with ends a number stands: 0 at its first end, 1 at its last.
double share_of(double value, const Axis& axis);

/// Marks of a horizontal axis of so many pixels whose texts keep apart: at `measured` values where there are any and
/// most of them have room, else at round numbers. The axis has ends.
std::vector<Tick> horizontal_ticks(const Axis& axis, double pixels, const std::vector<double>& measured = {});

/// A mark at each of the values.
std::vector<Tick> cell_ticks(const std::vector<double>& values);

/// The same of a vertical axis at round numbers.
std::vector<Tick> vertical_ticks(const Axis& axis, double pixels);

}  // namespace farfield::report
