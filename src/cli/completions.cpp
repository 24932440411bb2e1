#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

struct CompletionsOptions {
    std::string shell;
};

void add_completions_options(CLI::App& app, CompletionsOptions& options) {
    app.add_option("SHELL", options.shell, "bash, zsh or fish");
}

/// An option for completion: "--only", "-o".
struct Option {
    std::vector<std::string> names;
    std::string help;
    bool takes_value = false;
};

std::vector<Option> options_of(const Command& command) {
    CLI::App app;
    const auto perform = command.declare(app);
    std::vector<Option> options;
    for (const CLI::Option* each : app.get_options()) {
        Option option{{}, each->get_description(), each->get_items_expected_max() > 0};
        for (const std::string& name : each->get_lnames()) option.names.push_back("--" + name);
        for (const std::string& name : each->get_snames()) option.names.push_back("-" + name);
        if (!option.names.empty() && !each->get_group().empty()) options.push_back(option);
    }
    return options;
}

/// The text in single quotes, in a form that all three shells read.
std::string in_quotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return result + "'";
}

std::string names_of_commands() {
    std::string names;
    for (const Command* command : all_commands()) names += (names.empty() ? "" : " ") + std::string(command->name);
    return names;
}

std::string for_bash() {
    std::string text =
        "# source <(farfield completions bash)\n_farfield() {\n    local word=${COMP_WORDS[COMP_CWORD]} options=\n";
    text += "    COMPREPLY=()\n    if [[ $COMP_CWORD -eq 1 ]]; then\n        COMPREPLY=($(compgen -W " +
            in_quotes(names_of_commands() + " help --help --version") + " -- \"$word\"))\n        return\n    fi\n";
    text += "    case ${COMP_WORDS[1]} in\n";
    text += "        help) options=" + in_quotes(names_of_commands()) + " ;;\n";
    for (const Command* command : all_commands()) {
        std::string names;
        for (const Option& option : options_of(*command))
            for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
        text += fmt::format("        {}) options={} ;;\n", command->name, in_quotes(names));
    }
    text += "    esac\n";
    text +=
        "    if [[ $word == -* || ${COMP_WORDS[1]} == help ]]; then COMPREPLY=($(compgen -W \"$options\" -- "
        "\"$word\")); fi\n";
    return text + "}\ncomplete -o default -F _farfield farfield\n";
}

/// A description, escaped for the brackets of _arguments.
std::string for_zsh_brackets(std::string_view text) {
    std::string result;
    for (const char c : text) result += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return result;
}

std::string for_zsh() {
    std::string text =
        "#compdef farfield\n# farfield completions zsh > _farfield, in a folder of $fpath\n_farfield() {\n";
    text += "    local -a commands=(\n";
    for (const Command* command : all_commands())
        text += "        " + in_quotes(std::string(command->name) + ":" + std::string(command->help)) + "\n";
    text += "    )\n    if (( CURRENT == 2 )); then _describe command commands; return; fi\n    case $words[2] in\n";
    for (const Command* command : all_commands()) {
        text += fmt::format("        {}) _arguments '1: :' ", command->name);
        for (const Option& option : options_of(*command)) {
            for (const std::string& name : option.names) {
                const bool joins = option.takes_value && name.starts_with("--");
                text += in_quotes("*" + name + (joins ? "=" : "") + "[" + for_zsh_brackets(option.help) + "]" +
                                  (option.takes_value ? ":value:_files" : "")) +
                        " ";
            }
        }
        text += "'*:file:_files' ;;\n";
    }
    return text + "    esac\n}\n_farfield \"$@\"\n";
}

std::string for_fish() {
    std::string text = "# farfield completions fish > ~/.config/fish/completions/farfield.fish\n";
    for (const Command* command : all_commands())
        text += fmt::format("complete -c farfield -n __fish_use_subcommand -a {} -d {}\n", command->name,
                            in_quotes(command->help));
    for (const Command* command : all_commands()) {
        for (const Option& option : options_of(*command)) {
            text += fmt::format("complete -c farfield -n '__fish_seen_subcommand_from {}'", command->name);
            for (const std::string& name : option.names)
                text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            text += (option.takes_value ? " -r -d " : " -d ") + in_quotes(option.help) + "\n";
        }
    }
    return text;
}

struct Shell {
    std::string_view name;
    std::string (*script)();
};

constexpr Shell shells[] = {{"bash", for_bash}, {"zsh", for_zsh}, {"fish", for_fish}};

int print_completions(const CompletionsOptions& options) {
    require_words(!options.shell.empty(), "completions", "a shell: farfield completions bash");
    std::vector<std::string> known;
    for (const Shell& shell : shells) {
        known.emplace_back(shell.name);
        if (shell.name != options.shell) continue;
        write_output(shell.script());
        return as_expected;
    }
    refuse_input("unknown shell '" + options.shell + "'", "", core::known_here(options.shell, known));
}

}  // namespace

const Command completions_command{"completions", "print the completions of commands and options for a shell",
                                  declare<CompletionsOptions, add_completions_options, print_completions>};

}  // namespace farfield::cli
