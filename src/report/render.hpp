// Renders a figure as a picture.
#pragma once

#include <string>

#include "report/figure.hpp"

namespace farfield::report {

/// The figure as SVG. It must have at least one trace.
std::string render_svg(const Figure& figure);

/// The figure as PNG of twice the size. This takes several times as long.
std::string render_png(const Figure& figure);

/// The figure's lines as text.
std::string render_text(const Figure& figure, std::size_t columns, std::size_t rows);

}  // namespace farfield::report
