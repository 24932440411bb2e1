// One function a command: what it prints goes to standard output, problems are thrown, the result is the exit status.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/command_line.hpp"

namespace farfield::cli {

/// The exit statuses of the contract.
enum Status { as_expected = 0, unexpected = 1, wrong_input = 2, missing = 3, interrupted = 130 };

int run(const CommandLine& line);
int check(const CommandLine& line);
int eval(const CommandLine& line);
int plot(const CommandLine& line);
int list(const CommandLine& line);
int show(const CommandLine& line);
int report(const CommandLine& line);
int recheck(const CommandLine& line);
int safe_length(const CommandLine& line);
int compare(const CommandLine& line);
int doctor(const CommandLine& line);
int export_scheme(const CommandLine& line);
int import_file(const CommandLine& line);
int tasks(const CommandLine& line);
int store(const CommandLine& line);
int submit(const CommandLine& line);
int status(const CommandLine& line);

/// From here on SIGINT and SIGTERM are remembered instead of ending the program; a second one ends it at once and says
/// what is lost.
void catch_interrupts();
bool was_interrupted();

/// What a second one would lose from now on.
void set_last_words(const std::string& lost);

/// Tells, once, that the program still waits for a training after an interruption, and sets the last words.
void tell_waiting(const std::string& lost);

}  // namespace farfield::cli
