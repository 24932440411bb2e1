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
    offer(*app.add_option("SHELL", options.shell, "bash, zsh or fish"), {"bash", "zsh", "fish"});
}

/// An option for completion: "--only", "-o".
struct Option {
    std::vector<std::string> names;
    std::string help;
    bool takes_value = false;
    bool takes_list = false;
    std::string values;  ///< those that are offered, separated by blanks
};

struct Words {
    std::vector<Option> options;
    std::string values;  ///< of the first word that is not an option
};

Words words_of(const Command& command) {
    CLI::App app;
    const auto perform = command.declare(app);
    Words words;
    for (CLI::Option* each : app.get_options()) {
        Option option{{},
                      each->get_description(),
                      each->get_items_expected_max() > 0,
                      each->get_type_name() == list_shape,
                      offered_values(*each)};
        for (const std::string& name : each->get_lnames()) option.names.push_back("--" + name);
        for (const std::string& name : each->get_snames()) option.names.push_back("-" + name);
        if (option.names.empty() && words.values.empty()) words.values = option.values;
        if (!option.names.empty() && !each->get_group().empty()) words.options.push_back(option);
    }
    return words;
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

/// The options of the command whose values are offered, as a pattern of bash: 'run --device'|'run -d'.
std::string pattern_of(const Command& command, const Option& option) {
    std::string pattern;
    for (const std::string& name : option.names)
        pattern += (pattern.empty() ? "" : "|") + in_quotes(std::string(command.name) + " " + name);
    return pattern;
}

std::string for_bash() {
    std::string text = R"(# source <(farfield completions bash)
_farfield() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options= values=
    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
)";
    text += "        COMPREPLY=($(compgen -W " + in_quotes(names_of_commands() + " help --help --version") +
            " -- \"$word\"))\n        return\n    fi\n";
    // Readline takes the equals sign of --option=value for a word.
    text +=
        "    if [[ $word == = ]]; then word=; elif [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi\n";
    text += "    case ${COMP_WORDS[1]} in\n";
    text += "        help) options=" + in_quotes(names_of_commands()) + " ;;\n";
    std::string of_options;
    for (const Command* command : all_commands()) {
        const Words words = words_of(*command);
        std::string names;
        for (const Option& option : words.options) {
            for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
            if (!option.values.empty())
                of_options +=
                    fmt::format("        {}) values={} ;;\n", pattern_of(*command, option), in_quotes(option.values));
        }
        const std::string values = words.values.empty() ? "" : " values=" + in_quotes(words.values);
        text += fmt::format("        {}) options={}{} ;;\n", command->name, in_quotes(names), values);
    }
    text += "    esac\n    case \"${COMP_WORDS[1]} $before\" in\n" + of_options + "    esac\n";
    text += R"(    if [[ $word == -* || ${COMP_WORDS[1]} == help ]]; then values=$options; fi
    # The last value of a list, after those before it.
    local before_it=
    if [[ -n $values && $word == *,* ]]; then before_it=${word%,*},; fi
    COMPREPLY=($(compgen -P "$before_it" -W "$values" -- "${word##*,}"))
}
complete -o default -F _farfield farfield
)";
    return text;
}

/// A description, escaped for the brackets of _arguments.
std::string for_zsh_brackets(std::string_view text) {
    std::string result;
    for (const char c : text) result += (c == '[' || c == ']' || c == ':' || c == '\\' ? "\\" : "") + std::string(1, c);
    return result;
}

/// What _arguments completes: the values that are offered, with files beside them if the word may be one.
std::string zsh_action(const std::string& values, bool takes_files, bool takes_list = false) {
    if (values.empty()) return "_files";
    if (takes_list) return " _sequence compadd - " + values;
    // A blank before it keeps _arguments from adding options to the command; colons end a part of its argument.
    return takes_files ? " _alternative 'values\\:value\\:(" + values + ")' 'files\\:file\\:_files'"
                       : "(" + values + ")";
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
        const Words words = words_of(*command);
        for (const Option& option : words.options) {
            for (const std::string& name : option.names) {
                const bool joins = option.takes_value && name.starts_with("--");
                text += in_quotes("*" + name + (joins ? "=" : "") + "[" + for_zsh_brackets(option.help) + "]" +
                                  (option.takes_value ? ":value:" + zsh_action(option.values, false, option.takes_list)
                                                      : "")) +
                        " ";
            }
        }
        text += in_quotes("*:word:" + zsh_action(words.values, true)) + " ;;\n";
    }
    return text + "    esac\n}\n_farfield \"$@\"\n";
}

std::string for_fish() {
    std::string text = "# farfield completions fish > ~/.config/fish/completions/farfield.fish\n";
    for (const Command* command : all_commands())
        text += fmt::format("complete -c farfield -n __fish_use_subcommand -f -a {} -d {}\n", command->name,
                            in_quotes(command->help));
    text += "complete -c farfield -n '__fish_seen_subcommand_from help' -f -a " + in_quotes(names_of_commands()) + "\n";
    for (const Command* command : all_commands()) {
        const std::string seen = fmt::format("complete -c farfield -n '__fish_seen_subcommand_from {}'", command->name);
        const Words words = words_of(*command);
        if (!words.values.empty()) text += seen + " -k -a " + in_quotes(words.values) + "\n";
        for (const Option& option : words.options) {
            text += seen;
            for (const std::string& name : option.names)
                text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            // An option with values that are offered takes no file.
            const std::string list = "(__fish_complete_list , " + in_quotes("printf %s\\\\n " + option.values) + ")";
            if (!option.values.empty()) text += " -x -a " + in_quotes(option.takes_list ? list : option.values);
            text += (option.takes_value && option.values.empty() ? " -r -d " : " -d ") + in_quotes(option.help) + "\n";
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
