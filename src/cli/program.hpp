// Common code of the main functions of the programs.
#pragma once

#include <functional>

namespace farfield::cli {

/// Runs the work and returns the exit status: exceptions are reported on standard error, and standard output is
/// flushed.
int run_main(const std::function<int()>& work);

}  // namespace farfield::cli
