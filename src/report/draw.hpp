// The gnuplot commands of a figure.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/figure.hpp"
#include "report/ticks.hpp"

namespace farfield::report {

/// The style of all figures: colours, border, grid.
void write_style(std::ostream& script);

/// A rectangle in pixels from the upper left.
struct Frame {
    double left = 0, top = 0, width = 0, height = 0;
};

/// The margins that place the axes of the next plot in the frame.
void write_margins(std::ostream& script, const Frame& frame, double height);

/// The marks of an axis, "x", "y" or "cb".
void write_ticks(std::ostream& script, std::string_view name, const std::vector<Tick>& ticks);

/// The height of a picture of width 880.
int picture_height(const Figure& figure);

/// Data, legend and plot commands of lines and points.
void write_lines(std::ostream& script, const Figure& figure);

/// The same for a text terminal, without its own legend.
void write_characters(std::ostream& script, const Figure& figure);

/// Data and plot commands of heat maps, side by side.
void write_heatmaps(std::ostream& script, const Figure& figure);

/// A value as text for gnuplot; "NaN" if it cannot be drawn.
std::string plot_number(double value);

}  // namespace farfield::report
