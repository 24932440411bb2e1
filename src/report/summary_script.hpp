// The filters of the page over many studies.
#pragma once

#include <string_view>

namespace farfield::report {

/// JavaScript without libraries. It shows the form with the filters, which is hidden where no script runs, and hides
/// the claims (and with them their rows and studies) that the filters leave out.
std::string_view summary_script();

}  // namespace farfield::report
