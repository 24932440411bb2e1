// The gnuplot commands of a figure.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "report/figure.hpp"

namespace farfield::report {

/// What all figures share: fonts, colours, border, grid, title, source.
void write_style(std::ostream& script, const Figure& figure);

/// Range and scale of an axis, "x", "y" or "cb"; `label` where the figure gives none.
void write_axis(std::ostream& script, std::string_view name, const Axis& axis, const std::string& label);

/// Small print at "x, screen y alignment" of the whole picture.
void write_note(std::ostream& script, int number, std::string_view text, std::string_view place);

/// How tall a picture of width 880 is to be: 560 but for rows of heat maps.
int picture_height(const Figure& figure);

/// The legend between title and plot, never inside, where it might hide data; beside it if it would be tall. The
/// margins are made to hold it and the notes below.
void write_legend(std::ostream& script, const Figure& figure);

/// Data and plot command of lines and points.
void write_lines(std::ostream& script, const Figure& figure);

/// Data and plot commands of heat maps, side by side.
void write_heatmaps(std::ostream& script, const Figure& figure);

/// Values, blanks between them, "NaN" for what cannot be drawn.
std::string plot_number(double value);

}  // namespace farfield::report
