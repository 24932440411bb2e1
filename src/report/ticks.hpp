// The marks of an axis and their texts.
#pragma once

#include <string>
#include <vector>

#include "report/figure.hpp"

namespace farfield::report {

struct Tick {
    double at = 0;
    std::string text;
};

/// The position of a number on an axis with ends: 0 at its first end, 1 at its last.
double share_of(double value, const Axis& axis);

/// Marks of a horizontal axis of `pixels` pixels whose texts do not touch: at `measured` values if there are any and
/// most of them have room, otherwise at round numbers. The axis must have ends.
std::vector<Tick> horizontal_ticks(const Axis& axis, double pixels, const std::vector<double>& measured = {});

/// A mark at each of the values.
std::vector<Tick> cell_ticks(const std::vector<double>& values);

/// The same for a vertical axis at round numbers.
std::vector<Tick> vertical_ticks(const Axis& axis, double pixels);

}  // namespace farfield::report
