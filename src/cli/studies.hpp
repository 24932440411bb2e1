// What `run` and `check` share: studies run one after the other, their verdicts printed.
#pragma once

#include <farfield/core/record.hpp>
#include <farfield/report/report.hpp>
#include <farfield/study/study.hpp>
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

/// PATH, --only, --set and --device: what decides which tasks there are.
void add_selection(CLI::App& app, StudyArguments& arguments);
void add_store(CLI::App& app, StudyArguments& arguments);
void add_train(CLI::App& app, StudyArguments& arguments, const std::string& help);

/// Throws core::UserError if no path was given.
void require_paths(const StudyArguments& arguments, std::string_view command);

/// What `check` writes of studies that it cannot run.
using OnProblems = std::function<void(const std::vector<report::Alert>&)>;

/// The studies that the paths name. Where one is invalid, its problems are annotations in a workflow of GitHub, and are
/// given to `on_problems` if there is one; then core::UserError is thrown.
std::vector<study::Study> read_studies(const std::vector<std::string>& paths, const study::Options& options,
                                       std::vector<std::string>& unreadable, const OnProblems& on_problems = {});

study::Options options_of(const StudyArguments& arguments);

/// What came of a run, in the order of precedence of its exit statuses.
struct Outcome {
    std::vector<core::StudyRecord> records;
    bool wrong = false;  ///< something failed by a fault of its study
    bool unexpected = false;
    bool missing = false;
    std::string lost;  ///< what was finished and is not kept; empty if all is
    int status() const;
};

/// Tells what failed in a run, what is missing, and its warnings.
void tell_failures(const core::StudyRecord& record, Outcome& outcome);

/// Studies by the time they took, the longest first, each with its slowest quantity.
void tell_times(const Outcome& outcome);

/// What goes to standard output: a line for each claim and a summary, the summary alone, or all claims as JSON.
enum class Telling { claims, summary, json };

/// Runs each study, gives it to `keep`, and tells its verdicts: on standard output what was found, on standard error
/// what was not expected, and `unreadable`, what could not be read. In a workflow of GitHub, what was not expected is
/// also an annotation at the line of its claim. Stops at an interruption.
Outcome run_studies(const std::vector<study::Study>& studies, const std::vector<std::string>& unreadable,
                    const study::Options& options, Telling telling,
                    const std::function<void(core::StudyRecord&)>& keep);

}  // namespace farfield::cli
