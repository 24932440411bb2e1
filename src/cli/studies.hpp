// Common code of `run` and `check`: runs studies one after the other and prints their verdicts.
#pragma once

#include <farfield/core/record.hpp>
#include <farfield/report/report.hpp>
#include <farfield/study/study.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace farfield::cli {

/// Which studies, and how they are computed.
struct StudyArguments {
    std::vector<std::string> paths;
    std::vector<std::string> only;
    Pairs set;
    std::string device = "auto";
    std::string store;  ///< empty: FARFIELD_STORE, or the user's cache folder
    bool fresh = false;
    bool train = false;
};

/// PATH, --only, --set and --device, which determine the tasks.
void add_selection(CLI::App& app, StudyArguments& arguments);
void add_store(CLI::App& app, StudyArguments& arguments);
void add_train(CLI::App& app, StudyArguments& arguments, const std::string& help);

/// Throws core::UserError if no path was given.
void require_paths(const StudyArguments& arguments, std::string_view command);

/// Receives the problems of studies that `check` cannot run.
using OnProblems = std::function<void(const std::vector<report::Alert>&)>;

/// The studies that the paths name. If one is invalid, its problems become annotations in a workflow of GitHub and are
/// passed to `on_problems` if there is one; then core::UserError is thrown.
std::vector<study::Study> read_studies(const std::vector<std::string>& paths, const study::Options& options,
                                       std::vector<std::string>& unreadable, const OnProblems& on_problems = {});

study::Options options_of(const StudyArguments& arguments);

/// The outcome of a run, in the order of precedence of its exit statuses.
struct Outcome {
    std::vector<core::StudyRecord> records;
    bool wrong = false;  ///< something failed because of an error in its study
    bool unexpected = false;
    bool missing = false;
    std::string lost;  ///< finished results that are not kept; empty if all are
    int status() const;
};

/// Reports the failures of a run, what is missing, and its warnings.
void tell_failures(const core::StudyRecord& record, Outcome& outcome);

/// Reports the times of studies, the longest first, each with its slowest quantity.
void tell_times(const Outcome& outcome);

/// The content of standard output: a line for each claim and a summary, only the summary, or all claims as JSON.
enum class Telling { claims, summary, json };

/// Refuses a folder with the results of another study of the same name, with an input of the study, or with a
/// results.json that farfield did not write.
void check_folders(const std::vector<study::Study>& studies, const std::filesystem::path& output);

/// Runs each study, passes it to `keep`, and prints its verdicts to standard output. Unexpected verdicts, and
/// `unreadable`, the studies that could not be read, are reported on standard error. In a workflow of GitHub, an
/// unexpected verdict is also an annotation at the line of its claim. Stops at an interruption.
Outcome run_studies(const std::vector<study::Study>& studies, const std::vector<std::string>& unreadable,
                    const study::Options& options, Telling telling,
                    const std::function<void(core::StudyRecord&)>& keep);

}  // namespace farfield::cli
