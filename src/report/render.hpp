// A figure as bytes of a picture.
#pragma once

#include <string>

#include "report/figure.hpp"

namespace farfield::report {

struct Picture {
    std::string svg;
    std::string png;
};

/// The figure as SVG and, if asked for, as PNG of twice its size. It has a trace at least.
Picture render(const Figure& figure, bool with_png = true);

/// The figure's lines in characters.
std::string render_text(const Figure& figure, std::size_t columns, std::size_t rows);

}  // namespace farfield::report
