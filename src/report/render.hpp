// Renders a figure as a picture.
#pragma once

#include <string>

#include "report/figure.hpp"

namespace farfield::report {

struct Picture {
    std::string svg;
    std::string png;
};

/// The figure as SVG and, if requested, as PNG of twice its size. It must have at least one trace.
Picture render(const Figure& figure, bool with_png = true);

/// The figure's lines as text.
std::string render_text(const Figure& figure, std::size_t columns, std::size_t rows);

}  // namespace farfield::report
