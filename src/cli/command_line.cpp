#include "cli/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/study/version.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

/// The commands, grouped by what they work on; help lists the groups in this order.
struct Group {
    std::string_view title;
    std::vector<const Command*> commands;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> all = {
        {"Studies",
         {&new_command, &run_command, &check_command, &explain_command, &report_command, &draw_command, &diff_command,
          &recheck_command}},
        {"Formulas and schemes",
         {&list_command, &show_command, &eval_command, &plot_command, &safe_length_command, &export_command,
          &import_command}},
        {"Models and implementations", {&doctor_command, &compare_command, &tokens_command, &forward_command}},
        {"Clusters", {&tasks_command, &submit_command, &status_command, &store_command}},
        {"Shells and editors", {&schema_command, &completions_command}},
    };
    return all;
}

/// The help of the program with a line for each command.
std::string help_of_program() {
    CLI::App app("Check what papers, code and configurations say about positional encodings in Transformers.",
                 "farfield");
    for (const Group& group : groups()) {
        for (const Command* command : group.commands) {
            CLI::App* added = app.add_subcommand(std::string(command->name), std::string(command->help));
            command->declare(*added->group(std::string(group.title)));
        }
    }
    app.set_version_flag("--version", std::string(study::version()));
    app.footer(
        "farfield COMMAND --help lists the options of a command.\n"
        "In the repository, ./farfield test runs the tests and ./farfield bench the benchmarks.");
    return app.help();
}

const Command& find_command(const std::string& name) {
    std::vector<std::string> known;
    for (const Command* command : all_commands()) {
        if (command->name == name) return *command;
        known.emplace_back(command->name);
    }
    const bool is_option = name.starts_with("-");
    refuse_input((is_option ? "unknown option '" : "unknown command '") + name + "'", "",
                 core::known_here(name, is_option ? std::vector<std::string>{"--help", "--version"} : known));
}

}  // namespace

std::span<const Command* const> all_commands() {
    static const std::vector<const Command*> commands = [] {
        std::vector<const Command*> all;
        for (const Group& group : groups()) all.insert(all.end(), group.commands.begin(), group.commands.end());
        return all;
    }();
    return commands;
}

int perform(const std::vector<std::string>& arguments) {
    const std::string first = arguments.empty() ? "--help" : arguments.front();
    std::vector<std::string> words;
    if (arguments.size() > 1) words.assign(arguments.begin() + 1, arguments.end());
    const bool is_alone = first == "--help" || first == "-h" || first == "--version";
    if (is_alone && !words.empty())
        refuse_input("'" + first + "' is given '" + words.front() + "'", "nothing after it, or farfield help COMMAND");
    const bool is_help = first == "--help" || first == "-h" || first == "help";
    if (is_help && words.empty()) {
        write_output(help_of_program());
        return as_expected;
    }
    if (is_help && words.size() > 1)
        refuse_input("help is given '" + words[1] + "' beside the command '" + words[0] + "'", "one command", "");
    if (is_help) return perform(find_command(words.front()), {"--help"});
    if (first == "--version") {
        print("farfield {}\n", study::version());
        return as_expected;
    }
    return perform(find_command(first), words);
}

}  // namespace farfield::cli
