// The filters of the page over many studies.
#pragma once

#include <string_view>

namespace farfield::report {

/// JavaScript without libraries. It shows the form with the filters, which is hidden if scripts are disabled, and hides
/// the claims (with their rows and studies) that the filters exclude.
std::string_view summary_script();

}  // namespace farfield::report
