// A build that cannot start other programs, such as the one for browsers.
#include <farfield/core/error.hpp>

#include "cli/process.hpp"

namespace farfield::cli {

Finished run_program(const std::vector<std::string>& command, const std::string& advice) {
    throw core::MissingError("running '" + command.front() + "'", "this build of farfield starts no programs", advice);
}

}  // namespace farfield::cli
