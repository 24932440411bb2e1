// How a trace is drawn.
#pragma once

#include <cstddef>
#include <vector>

#include "report/figure.hpp"

namespace farfield::report {

/// Okabe and Ito's colours for all kinds of colour vision, without yellow, which is lost on white paper; each with a
/// dash and a marker of its own, for paper without colours.
struct Look {
    const char* colour;
    const char* dash;
    int marker;
};

/// The look of a trace; the dash moves on when the colours start again, so that the first 42 lines differ.
Look look_of(const Figure& figure, std::size_t trace);

enum class Style {
    points,    ///< a marker at each row
    line,      ///< with markers here and there
    rough,     ///< a thin line that turns too often for dashes
    envelope,  ///< a band between the least and the greatest of many points at each pixel
};

/// The style of a trace in a panel of so many pixels. With a fit over them, few data are points.
Style style_of(const Figure& figure, const Trace& trace, double pixels);

/// Whether it has so few rows that each has a marker.
bool is_sparse(const Trace& trace);

/// Whether a value has a place on the axis.
bool is_drawable(double value, const Axis& axis);

/// Where, in this order, the traces of a panel are drawn: bands, points and rough lines first, then smooth lines, which
/// would be lost beneath them; fits last.
std::vector<std::size_t> drawing_order(const Figure& figure, std::size_t panel, double pixels);

}  // namespace farfield::report
