// The commands of the program.
#pragma once

#include <span>

#include "cli/command.hpp"

namespace farfield::cli {

/// All of them, in the order of --help.
std::span<const Command* const> all_commands();

extern const Command run_command;
extern const Command check_command;
extern const Command eval_command;
extern const Command plot_command;
extern const Command draw_command;
extern const Command list_command;
extern const Command show_command;
extern const Command explain_command;
extern const Command report_command;
extern const Command diff_command;
extern const Command recheck_command;
extern const Command safe_length_command;
extern const Command compare_command;
extern const Command export_command;
extern const Command doctor_command;
extern const Command forward_command;
extern const Command import_command;
extern const Command new_command;
extern const Command schema_command;
extern const Command completions_command;
extern const Command tasks_command;
extern const Command store_command;
extern const Command submit_command;
extern const Command status_command;

}  // namespace farfield::cli
