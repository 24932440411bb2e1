// What the main functions of the programs share.
#pragma once

#include <functional>

namespace farfield::cli {

/// The exit status of a program that does this work: what it throws is reported on standard error, and standard output
/// is written to its end.
int run_main(const std::function<int()>& work);

}  // namespace farfield::cli
