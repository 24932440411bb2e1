// How the pages look, on a screen and on paper.
#pragma once

#include <string_view>

namespace farfield::report {

/// CSS of every page. Text has a contrast of 4.5 to 1 at least; no verdict is shown by colour alone.
std::string_view page_style();

}  // namespace farfield::report
