// From arguments to a command.
#pragma once

#include <string>
#include <vector>

namespace farfield::cli {

/// Runs the command of the arguments (without the program's name), and returns the exit status. Throws core::UserError
/// for an unknown command or option, with the nearest valid name.
int perform(const std::vector<std::string>& arguments);

}  // namespace farfield::cli
