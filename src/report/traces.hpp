// The style of a trace.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "report/figure.hpp"

namespace farfield::report {

/// Okabe and Ito's colours for all kinds of colour vision, without yellow, which is invisible on white paper. Each has
/// its own dash and marker, for paper without colours.
struct Look {
    const char* colour;
    const char* dash;
    int marker;
};

/// The name of what the traces show, that of their column where its kind has no words for it: the words of those that
/// have some. Nothing if these differ.
std::optional<std::string> shared_y_words(const Figure& figure);

/// The look of a trace; the dash changes when the colours repeat, so that the first 42 lines differ.
Look look_of(const Figure& figure, std::size_t trace);

enum class Style {
    points,    ///< a marker at each row
    line,      ///< with some markers
    rough,     ///< a thin line that turns too often for dashes
    envelope,  ///< a band between the smallest and the largest of many points at each pixel
};

/// More rows could not be told apart in a picture. Of lines, the rows with the least and the greatest values are drawn;
/// of clouds of points, one in each square of `pixels_between_points`, which is less than the width of a marker.
inline constexpr std::size_t most_points = 2400;
inline constexpr double pixels_between_points = 4;

/// The style of a trace in a panel of `pixels` pixels. With a fit over them, few data are drawn as points.
Style style_of(const Figure& figure, const Trace& trace, double pixels);

/// Whether it has so few rows that each has a marker.
bool is_sparse(const Trace& trace);

/// Whether a value can be drawn on the axis.
bool is_drawable(double value, const Axis& axis);

/// Whether a point of the trace, or a part of the line between two of them, is between the ends of both axes.
bool is_shown(const Figure& figure, const Trace& trace, const Axis& x, const Axis& y);

/// The order in which the traces of a panel are drawn: bands, points and rough lines first, then smooth lines, which
/// would be hidden beneath them, and fits last.
std::vector<std::size_t> drawing_order(const Figure& figure, std::size_t panel, double pixels);

}  // namespace farfield::report
