// The program's version.
#pragma once

#include <string_view>

namespace farfield::study {

/// "0.1.0".
std::string_view version();

}  // namespace farfield::study
