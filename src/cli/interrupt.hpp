// Handling of SIGINT and SIGTERM.
#pragma once

#include <string>

namespace farfield::cli {

/// From now on, SIGINT, SIGTERM and SIGHUP are recorded instead of ending the program; a second signal ends it at once
/// and prints what is lost.
void catch_interrupts();
bool was_interrupted();

/// Sets what a second signal would lose from now on.
void set_last_words(const std::string& lost);

/// Reports once that the program still waits for a training after an interruption, and sets the last words.
void tell_waiting(const std::string& lost);

}  // namespace farfield::cli
