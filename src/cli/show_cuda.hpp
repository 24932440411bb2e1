// `farfield show SCHEME|FORMULA --cuda`.
#pragma once

#include <string>

namespace farfield::cli {

/// Prints CUDA C++ of a formula, or of each formula of a scheme, in a number system.
void show_cuda(const std::string& subject, const std::string& number_system);

}  // namespace farfield::cli
