// The command line as values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farfield::cli {

/// What the user asked for. A member holds the value of the option of its name; those a command does not have keep
/// theirs.
struct CommandLine {
    std::string command;
    std::optional<std::string> text;  ///< of --help or --version: printed, and that is all
    std::vector<std::string> paths;
    std::string output;
    std::string device = "auto";
    std::vector<std::string> only;
    std::vector<std::pair<std::string, std::string>> set;
    std::optional<std::string> cache;
    std::optional<std::size_t> threads;
    bool train = false;
    bool figures = true;
    bool fresh = false;
    bool update = false;
    std::string because;
    std::string junit;
    std::string markdown;
    std::string subject;  ///< FORMULA, SCHEME, STUDY, DIR, or the list asked for
    std::vector<std::pair<std::string, std::string>> let;
    std::string over;
    std::string system = "double";
    std::string derivative;
    bool json = false;
    bool strict = false;
    bool times = false;
    bool cuda = false;
    std::vector<std::string> schemes;
    std::string from;
    std::vector<std::string> formats;
    std::vector<std::string> widths;
    std::string heads = "8";
    std::string bound = "0.01";
    std::string longest = "33554432";
    bool exact_positions = false;
    std::string scheme;
    std::string tensor;  ///< name of the tensor in its file
    std::string part;
    std::string axes;
    std::string input;
    std::string input_tensor;
    std::vector<std::pair<std::string, std::string>> at;  ///< places along an axis, or a tensor's name
    std::string compare_heads;
    std::string head;
    std::string length;
    std::string train_length;
    std::string tolerance;
    std::string head_dim;
    std::string accept;
    bool laws = false;
    std::string target;
    std::string served;
    std::string recipe;
    std::string against;
    std::string format;
    std::vector<std::string> recipes;
    std::vector<std::string> engines;
    bool skip = false;
    bool as_markdown = false;
    bool sarif = false;
    bool html = false;
    std::string shard;   ///< "3/16"
    std::string task;    ///< an id
    std::string shards;  ///< how many, or a list of it
    bool same_kind = false;
    bool other_programs = false;
    std::string time;
    std::vector<std::string> passed;  ///< behind --, for another program
};

/// Reads the arguments (without the program's name). Throws core::UserError for an unknown command or option, with
/// the nearest valid name.
CommandLine read_command_line(std::vector<std::string> arguments);

/// Throws core::UserError with one diagnostic of no place.
[[noreturn]] void refuse_input(std::string found, std::string wanted = {}, std::string hint = {});

}  // namespace farfield::cli
