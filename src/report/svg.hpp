// What gnuplot's SVG lacks.
#pragma once

#include <string>
#include <string_view>

#include "report/figure.hpp"

namespace farfield::report {

/// gnuplot's SVG with a title and description that screen readers find, its marks and groups renamed after the figure
/// (several may stand in one page), and the cells of maps kept sharp.
std::string finished_svg(std::string svg, const Figure& figure);

/// The SVG without its XML declaration, to stand inside an HTML page.
std::string inline_svg(std::string_view svg);

}  // namespace farfield::report
