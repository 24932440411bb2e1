// A command of the program: its options and its function. Each command is one file and a name in commands.hpp.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <farfield/core/diagnostic.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace farfield::cli {

/// The exit statuses of the contract.
enum Status { as_expected = 0, unexpected = 1, wrong_input = 2, missing = 3, interrupted = 130 };

struct Command {
    std::string_view name;
    std::string_view help;
    /// Adds the options to `app`. The result is a function that runs the command with the values that were read and
    /// returns the exit status. It prints to standard output and throws problems.
    std::function<int()> (*declare)(CLI::App& app);
    bool takes_formulas = false;  ///< words that are not options may begin with a minus sign
    bool runs_studies = false;    ///< its problems end with the remark that nothing was run
};

/// `Command::declare` of a command whose options are members of `Options`.
template <class Options, void (*add)(CLI::App&, Options&), int (*perform)(const Options&)>
std::function<int()> declare(CLI::App& app) {
    const auto options = std::make_shared<Options>();
    add(app, *options);
    return [options] { return perform(*options); };
}

/// Reads the words after the command's name, runs it, and returns the exit status. Throws core::UserError for an
/// unknown option, with the nearest valid name.
int perform(const Command& command, const std::vector<std::string>& words);

/// Prints the problems of studies that were to be run, and returns the exit status.
int tell_nothing_was_run(const core::UserError& error);

/// Throws core::UserError with one diagnostic without a place.
[[noreturn]] void refuse_input(std::string found, std::string wanted = {}, std::string hint = {});

/// Whether two paths lead to the same file, which need not exist.
bool is_same_path(const std::string& a, const std::string& b);

/// Refuses an output that is one of the inputs, or a file that the command reads in a folder of the inputs. Empty texts
/// are options that are not given.
void refuse_output_over(const std::string& option, const std::string& output, const std::vector<std::string>& inputs);
/// Refuses an output, which is no study itself, that names an existing one.
void refuse_output_over_study(const std::string& option, const std::string& output);

/// Refuses a word that is listed twice; `where` is an option or empty.
void refuse_repeated(const std::vector<std::string>& words, const std::string& where = {});

/// Throws core::UserError if the command has no arguments to work on.
void require_words(bool are_given, std::string_view command, std::string wanted);

/// --threads, which applies to the whole process.
void add_threads(CLI::App& app, const std::string& option = "--threads");

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// An option that takes `shape`, such as NAME=VALUE, any number of times.
void add_pairs(CLI::App& app, const std::string& option, const std::string& shape, Pairs& pairs,
               const std::string& help);

/// The words of a list separated by commas; refuses an empty one.
std::vector<std::string> split_list(const std::string& text, const std::string& option);

inline constexpr const char* list_shape = "A,B";  ///< the type of a list in help texts

/// An option that takes a list separated by commas.
CLI::Option& add_list(CLI::App& app, const std::string& option, std::vector<std::string>& texts,
                      const std::string& help);

/// The values that a shell offers for an option or a word. Others may be valid too, such as a scheme of a study.
void offer(CLI::Option& option, const std::vector<std::string>& values);
/// What was offered, separated by blanks; empty if nothing was.
std::string offered_values(CLI::Option& option);

/// The words after "--", which are passed to another program.
void add_passed_words(CLI::App& app, std::vector<std::string>& words);

}  // namespace farfield::cli
