// `farfield show SCHEME|FORMULA --cuda`.
#pragma once

#include "cli/command_line.hpp"

namespace farfield::cli {

/// Prints CUDA C++ of a formula, or of each formula of a scheme.
void show_cuda(const CommandLine& line);

}  // namespace farfield::cli
