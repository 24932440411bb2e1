// The layout of a picture, in pixels from its upper left corner. All texts are measured, so that there is room for them
// and none is clipped.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/figure.hpp"
#include "report/ticks.hpp"

namespace farfield::report {

inline constexpr double picture_width = 880;
inline constexpr double title_size = 15, label_size = 13, tick_size = 12, note_size = 10;
inline constexpr double sample_width = 34;  ///< of a line in the legend

enum class Align { left, centre, right };

/// A line of text; `x` is its end or middle, `y` the middle of its height. Vertical texts run from bottom to top.
struct Text {
    std::string text;
    double x = 0, y = 0;
    Align align = Align::left;
    double size = label_size;
    std::string_view colour = "#222222";
    bool upright = false;
};

/// A trace's line or marker in the legend, from x on.
struct Sample {
    std::size_t trace = 0;
    double x = 0, y = 0;
};

/// The rectangle of a panel's axes, their ends and marks.
struct PanelPlace {
    double left = 0, top = 0, width = 0, height = 0;
    Axis x, y;
    std::vector<Tick> x_ticks, y_ticks;
    std::vector<double> trained;  ///< lengths at which there is a vertical line
};

/// A thin line from a point to its name.
struct Leader {
    double from_x = 0, from_y = 0, to_x = 0, to_y = 0;
};

struct Layout {
    double height = 0;
    std::vector<PanelPlace> panels;
    std::vector<Text> texts;
    std::vector<Sample> samples;
    std::vector<Leader> leaders;
};

/// The layout of lines and points.
Layout layout_of(const Figure& figure);

/// Whether two equal scales are compared: points whose axes have the same requested range.
bool has_diagonal(const Figure& figure);

/// Adds lines of text below each other, the first with its middle at y; returns the y of the next line.
double add_lines(std::vector<Text>& texts, const std::vector<std::string>& lines, Text first);

/// Adds the title's lines from the top on; returns the y below them.
double add_title(std::vector<Text>& texts, const Figure& figure);

/// Adds remarks, and the source if there is one, from y on; returns the picture's height.
double add_notes(std::vector<Text>& texts, const Figure& figure, const std::string& remark, double y);

/// Writes labels of the texts, numbered from `first` on, at their places in a picture of that height.
void write_texts(std::ostream& script, const std::vector<Text>& texts, double height, int first = 1000);

/// "screen 0.5", for a number of pixels of a length.
std::string screen(double pixels, double of);

}  // namespace farfield::report
