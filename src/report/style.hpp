// The style of the pages, on a screen and on paper.
#pragma once

#include <string_view>

namespace farfield::report {

/// CSS of every page. Text has a contrast of at least 4.5 to 1; no verdict is shown only by colour.
std::string_view page_style();

}  // namespace farfield::report
