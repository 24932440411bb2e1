// The style of a trace.
#pragma once

#include <cstddef>
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

/// The look of a trace; the dash changes when the colours repeat, so that the first 42 lines differ.
Look look_of(const Figure& figure, std::size_t trace);

enum class Style {
    points,    ///< a marker at each row
    line,      ///< with some markers
    rough,     ///< a thin line that turns too often for dashes
    envelope,  ///< a band between the smallest and the largest of many points at each pixel
};

/// The style of a trace in a panel of `pixels` pixels. With a fit over them, few data are drawn as points.
Style style_of(const Figure& figure, const Trace& trace, double pixels);

/// Whether it has so few rows that each has a marker.
bool is_sparse(const Trace& trace);

/// Whether a value can be drawn on the axis.
bool is_drawable(double value, const Axis& axis);

/// The order in which the traces of a panel are drawn: bands, points and rough lines first, then smooth lines, which
/// would be hidden beneath them, and fits last.
std::vector<std::size_t> drawing_order(const Figure& figure, std::size_t panel, double pixels);

}  // namespace farfield::report
