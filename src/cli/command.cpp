#include "cli/command.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <farfield/core/diagnostic.hpp>
#include <farfield/numerics/processors.hpp>
#include <filesystem>
#include <iterator>
#include <set>

#include "cli/output.hpp"
#include "core/paths.hpp"

namespace farfield::cli {

namespace {

/// The option that takes the words after "--"; users cannot give it.
constexpr const char* passed_words = "--passed-words";

bool is_hidden(const CLI::Option& option) {
    return option.get_group().empty();
}

std::vector<std::string> options_of(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        if (is_hidden(*option)) continue;
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// Options of the command that take a value.
bool takes_value(const CLI::App& command, const std::string& name) {
    for (const CLI::Option* option : command.get_options()) {
        if (option->check_name(name)) return option->get_items_expected_max() > 0;
    }
    return false;
}

bool is_option(const CLI::App& command, const std::string& argument) {
    const std::vector<std::string> known = options_of(command);
    const std::string name = argument.substr(0, argument.find('='));
    return std::find(known.begin(), known.end(), argument.starts_with("--") ? name : argument) != known.end();
}

/// A word that begins with a minus sign but is not an option: unknown, or a formula.
bool looks_like_option(const std::string& argument) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return argument.size() > 2 && argument.starts_with("--") && is_letter(argument[2]) &&
           argument.find_first_of("*/+^(") == std::string::npos;
}

/// Moves the words that are not options after "--", so that CLI11 does not treat a word with a minus sign as an option.
/// Unknown options are refused here.
std::vector<std::string> words_last(const CLI::App& command, const std::vector<std::string>& arguments, bool formula) {
    const bool passes_words = command.get_option_no_throw(passed_words) != nullptr;
    std::vector<std::string> options, words;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const bool dashed = argument.size() > 1 && argument[0] == '-';
        if (argument == "--") {
            for (++i; i < arguments.size(); ++i) {
                if (passes_words)
                    options.push_back(std::string(passed_words) + "=" + arguments[i]);
                else
                    words.push_back(arguments[i]);
            }
            break;
        }
        if (dashed && is_option(command, argument)) {
            options.push_back(argument);
            if (argument.find('=') != std::string::npos || !takes_value(command, argument)) continue;
            if (i + 1 == arguments.size()) refuse_input("the option " + argument + " has no value", "a value after it");
            // Joins option and value, so that a value may begin with a minus sign.
            if (argument.starts_with("--"))
                options.back() += "=" + arguments[++i];
            else
                options.push_back(arguments[++i]);
        } else if (dashed && (!formula || looks_like_option(argument))) {
            refuse_input("unknown option '" + argument + "' of " + command.get_name(), "",
                         core::known_here(argument, options_of(command)));
        } else {
            words.push_back(argument);
        }
    }
    if (const auto empty = std::find(words.begin(), words.end(), ""); empty != words.end())
        refuse_input(
            "argument " + std::to_string(empty - words.begin() + 1) + " of " + command.get_name() + " is empty",
            "a file, a name or a formula", "A variable of the shell may not be set.");
    options.emplace_back("--");
    options.insert(options.end(), words.begin(), words.end());
    return options;
}

/// The parser would use the next word as the missing value.
void refuse_empty_values(const CLI::App& command, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") return;
        const bool is_long = words[i].starts_with("--");
        const bool is_bare = is_long && words[i].find('=') == words[i].size() - 1;
        if (is_bare) refuse_input("'" + words[i] + "' has no value", words[i] + "VALUE");
        const bool is_short = is_option(command, words[i]) && takes_value(command, words[i]);
        if ((is_long || is_short) && i + 1 < words.size() && words[i + 1].empty())
            refuse_input("the value of '" + words[i] + "' is empty", "a value");
    }
}

[[noreturn]] void refuse_twice(const std::string& word, const std::string& where) {
    refuse_input("'" + word + "' is listed twice" + (where.empty() ? "" : " in " + where), "each of them once");
}

/// Whether a command that reads the folder reads the file: a study in it, or a part of a checkpoint.
bool is_read_in(const std::string& folder, const std::string& file) {
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure) || !std::filesystem::exists(file, failure)) return false;
    const std::filesystem::path inside = core::full_path(file).lexically_relative(core::full_path(folder));
    if (inside.empty() || *inside.begin() == "..") return false;
    constexpr std::string_view read[] = {".toml",      ".safetensors", ".safetensors.index.json",
                                         ".gguf",      "config.json",  "tokenizer.json",
                                         "vocab.json", "merges.txt"};
    return std::any_of(std::begin(read), std::end(read), [&](std::string_view end) { return file.ends_with(end); });
}

std::size_t read_threads(const std::string& text, const std::string& option) {
    constexpr std::size_t most = 4096;
    std::size_t threads = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), threads);
    const bool is_read = error == std::errc() && end == text.data() + text.size();
    if (!is_read || threads < 1 || threads > most)
        refuse_input((option == "--threads" ? option : "-j (--threads)") + " has '" + text + "'",
                     "a whole number from 1 to " + std::to_string(most));
    return threads;
}

}  // namespace

void refuse_input(std::string found, std::string wanted, std::string hint) {
    throw core::UserError({core::Diagnostic{{}, std::move(found), std::move(wanted), std::move(hint)}});
}

bool is_same_path(const std::string& a, const std::string& b) {
    std::error_code failure;
    if (std::filesystem::equivalent(a, b, failure)) return true;
    return core::full_path(a) == core::full_path(b);
}

void refuse_output_over(const std::string& option, const std::string& output, const std::vector<std::string>& inputs) {
    if (output.empty()) return;
    for (const std::string& input : inputs) {
        if (input.empty() || !(is_same_path(output, input) || is_read_in(input, output))) continue;
        refuse_input(option + " would overwrite '" + output + "', which the command reads", "another file");
    }
}

void refuse_output_over_study(const std::string& option, const std::string& output) {
    std::error_code failure;
    if (output.ends_with(".toml") && std::filesystem::exists(output, failure))
        refuse_input(option + " would overwrite the study '" + output + "'", "a file with another name");
}

void refuse_repeated(const std::vector<std::string>& words, const std::string& where) {
    std::set<std::string> known;
    for (const std::string& word : words)
        if (!known.insert(word).second) refuse_twice(word, where);
}

void require_words(bool are_given, std::string_view command, std::string wanted) {
    if (!are_given) refuse_input(std::string(command) + " has nothing to work on", std::move(wanted));
}

void add_threads(CLI::App& app, const std::string& option) {
    app.add_option_function<std::string>(
        option, [option](const std::string& text) { numerics::set_processors(read_threads(text, option)); },
        "number of threads; default: the number of processors that the process may use");
}

void add_pairs(CLI::App& app, const std::string& option, const std::string& shape, Pairs& pairs,
               const std::string& help) {
    const auto read = [option, shape, &pairs](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            const std::size_t equals = text.find('=');
            if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
                refuse_input(option + " has '" + text + "'", shape);
            std::string name = text.substr(0, equals);
            const bool is_twice =
                std::any_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
            if (is_twice) refuse_input(option + " gives '" + name + "' two values", "one value");
            pairs.emplace_back(std::move(name), text.substr(equals + 1));
        }
    };
    app.add_option_function<std::vector<std::string>>(option, read, help)->allow_extra_args(false);
}

std::vector<std::string> split_list(const std::string& text, const std::string& option) {
    std::vector<std::string> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        if (words.back().empty()) refuse_input(option + " has an empty word in '" + text + "'", "words between commas");
        begin = end + 1;
    }
    return words;
}

CLI::Option& add_list(CLI::App& app, const std::string& option, std::vector<std::string>& texts,
                      const std::string& help) {
    const auto read = [option, &texts](const std::vector<std::string>& given) {
        for (const std::string& text : given)
            for (const std::string& word : split_list(text, option)) texts.push_back(word);
        refuse_repeated(texts, option);
    };
    return *app.add_option_function<std::vector<std::string>>(option, read, help)
                ->type_name(list_shape)
                ->allow_extra_args(false);
}

namespace {
const std::string offered_lead = "offered:";
}

// CLI11 keeps nothing for them but the name of a check, here of one that accepts everything.
void offer(CLI::Option& option, const std::vector<std::string>& values) {
    const auto accept = [](const std::string&) { return std::string(); };
    std::string name = offered_lead;
    // Shells read signs, and divide names at blanks.
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
    std::set<std::string> seen;
    for (const std::string& value : values) {
        const bool is_name = !value.starts_with('-') && std::all_of(value.begin(), value.end(), is_plain);
        if (is_name && seen.insert(value).second) name += (name == offered_lead ? "" : " ") + value;
    }
    option.check(CLI::Validator(accept, "", name));
}

std::string offered_values(CLI::Option& option) {
    try {
        for (int i = 0;; ++i) {  // to the exception, after the last check
            const std::string& name = option.get_validator(i)->get_name();
            if (name.starts_with(offered_lead)) return name.substr(offered_lead.size());
        }
    } catch (const CLI::OptionNotFound&) {
        return "";
    }
}

void add_passed_words(CLI::App& app, std::vector<std::string>& words) {
    app.add_option(passed_words, words)->allow_extra_args(false)->group("");
}

int perform(const Command& command, const std::vector<std::string>& words) {
    CLI::App app(std::string(command.help), std::string(command.name));
    const std::function<int()> perform_it = command.declare(app);
    const auto print_help = [&] {
        write_output(app.help("farfield"));
        return as_expected;
    };
    if (std::find(words.begin(), words.end(), "--help") != words.end()) return print_help();
    refuse_empty_values(app, words);
    std::vector<std::string> reordered = words_last(app, words, command.takes_formulas);
    std::reverse(reordered.begin(), reordered.end());
    try {
        app.parse(reordered);
    } catch (const CLI::ParseError& error) {
        if (error.get_name() == "CallForHelp") return print_help();
        std::string found = error.what();
        std::replace(found.begin(), found.end(), '\n', ' ');
        const std::size_t repeated = found.find(": At Most 1 required");
        if (repeated != std::string::npos) found = "the option " + found.substr(0, repeated) + " is given twice";
        if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
            // CLI11 lists them in reverse order, with the "--" before them.
            const std::vector<std::string> extra = app.remaining();
            const auto first = std::find_first_of(words.begin(), words.end(), extra.begin(), extra.end());
            if (first != words.end()) found = "unexpected argument '" + *first + "'";
        }
        refuse_input(found, "", "farfield " + std::string(command.name) + " --help lists its options.");
    }
    if (!command.runs_studies) return perform_it();
    try {
        return perform_it();
    } catch (const core::UserError& error) {
        return tell_nothing_was_run(error);
    }
}

int tell_nothing_was_run(const core::UserError& error) {
    std::string text = core::format(error.diagnostics(), error.more());
    text.pop_back();  // the full stop
    print_error("{}; nothing was run.\n", text);
    return wrong_input;
}

}  // namespace farfield::cli
