// Completes gnuplot's SVG.
#pragma once

#include <string>
#include <string_view>

#include "report/figure.hpp"

namespace farfield::report {

/// gnuplot's SVG with a title and description for screen readers, with marks and groups named after the figure (a page
/// may have several), and with sharp cells of maps.
std::string finished_svg(std::string svg, const Figure& figure);

/// The SVG without its XML declaration, for embedding into an HTML page.
std::string inline_svg(std::string_view svg);

/// The same with the study in the names of marks and groups. Figures of several studies may have one name.
std::string with_study(std::string svg, const std::string& figure, const std::string& study);

}  // namespace farfield::report
