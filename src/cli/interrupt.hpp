// SIGINT and SIGTERM.
#pragma once

#include <string>

namespace farfield::cli {

/// From here on SIGINT and SIGTERM are remembered instead of ending the program; a second one ends it at once and says
/// what is lost.
void catch_interrupts();
bool was_interrupted();

/// What a second one would lose from now on.
void set_last_words(const std::string& lost);

/// Tells, once, that the program still waits for a training after an interruption, and sets the last words.
void tell_waiting(const std::string& lost);

}  // namespace farfield::cli
