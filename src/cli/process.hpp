// Other programs that commands run.
#pragma once

#include <string>
#include <vector>

namespace farfield::cli {

struct Finished {
    int status = 0;
    std::string output;  ///< standard output; standard error is that of this program
};

/// Runs a program of the PATH to its end. Throws core::MissingError if it cannot be started, with the advice.
Finished run_program(const std::vector<std::string>& command, const std::string& advice);

}  // namespace farfield::cli
