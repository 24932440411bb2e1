#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/version.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

constexpr const Command* commands[] = {
    &run_command,         &check_command,   &eval_command,   &plot_command,   &list_command,
    &show_command,        &explain_command, &report_command, &diff_command,   &recheck_command,
    &safe_length_command, &compare_command, &draw_command,   &export_command, &doctor_command,
    &forward_command,     &tokens_command,  &import_command, &new_command,    &schema_command,
    &completions_command, &tasks_command,   &store_command,  &submit_command, &status_command,
};

/// The help of the program with a line for each command.
std::string help_of_program() {
    CLI::App app("Declare, simulate and check theories about positional encodings in Transformers.", "farfield");
    for (const Command* command : commands)
        command->declare(*app.add_subcommand(std::string(command->name), std::string(command->help)));
    app.set_version_flag("--version", std::string(study::version()));
    app.footer("In the repository, ./farfield test runs the tests and ./farfield bench the benchmarks.");
    return app.help();
}

const Command& find_command(const std::string& name) {
    std::vector<std::string> known;
    for (const Command* command : commands) {
        if (command->name == name) return *command;
        known.emplace_back(command->name);
    }
    const bool is_option = name.starts_with("-");
    refuse_input((is_option ? "unknown option '" : "unknown command '") + name + "'", "",
                 core::known_here(name, is_option ? std::vector<std::string>{"--help", "--version"} : known));
}

}  // namespace

std::span<const Command* const> all_commands() {
    return commands;
}

int perform(const std::vector<std::string>& arguments) {
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    std::vector<std::string> words;
    if (arguments.size() > 1) words.assign(arguments.begin() + 1, arguments.end());
    const bool is_help = first == "--help" || first == "-h" || first == "help";
    if (is_help && (words.empty() || first != "help")) {
        write_output(help_of_program());
        return as_expected;
    }
    if (is_help) return perform(find_command(words.front()), {"--help"});
    if (first == "--version") {
        print("farfield {}\n", study::version());
        return as_expected;
    }
    return perform(find_command(first), words);
}

}  // namespace farfield::cli
