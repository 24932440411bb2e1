#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <farfield/study/version.hpp>
#include <filesystem>
#include <functional>
#include <iterator>
#include <utility>

#include "cli/alerts.hpp"
#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/saves.hpp"
#include "cli/shard.hpp"
#include "cli/studies.hpp"

namespace farfield::cli {

namespace {

/// Common options of `run` and `check`.
struct ComputeOptions {
    StudyArguments studies;
    bool times = false;
    bool quiet = false;
    bool json = false;
    std::string junit;
    std::string markdown;
    std::string sarif;

    Telling telling() const { return json ? Telling::json : quiet ? Telling::summary : Telling::claims; }
};

void add_compute_options(CLI::App& app, ComputeOptions& options) {
    add_selection(app, options.studies);
    add_store(app, options.studies);
    app.add_flag("--fresh", options.studies.fresh, "compute everything again");
    app.add_flag("--times", options.times, "print the time of each study and its slowest quantities");
    app.add_flag("--quiet", options.quiet, "print problems and the summary, without a line for each claim");
    app.add_flag("--json", options.json, "print the claims as JSON");
    app.add_option("--junit", options.junit, "file for the verdicts as JUnit XML");
    app.add_option("--markdown", options.markdown, "file for the verdicts as a Markdown table");
    app.add_option("--sarif", options.sarif, "file for the claims that fail, in SARIF");
    add_train(app, options.studies, "train the models that studies in folders need");
    add_threads(app, "-j,--threads");
}

struct RunOptions {
    ComputeOptions compute;
    std::string output;
    bool no_figures = false;
    bool update = false;
    std::string because;
    std::string shard;  ///< "3/16"
    std::string task;   ///< an id
    bool same_kind = false;
    bool watch = false;
};

void add_run_options(CLI::App& app, RunOptions& options) {
    add_compute_options(app, options.compute);
    app.add_option("-o,--output", options.output, "folder of the results; default: results");
    app.add_flag("--no-figures", options.no_figures, "draw no figures");
    app.add_flag("--watch", options.watch, "run again when a study or a file that it names is saved, until Ctrl-C");
    app.add_flag("--update", options.update, "record the verdicts found in the studies");
    app.add_option("--because", options.because, "the reason, with --update");
    app.add_option("--shard", options.shard, "compute shard I of N into the store, and nothing else: 0/4");
    app.add_option("--task", options.task, "compute one task into the store, and nothing else: its id");
    app.add_flag("--same-kind", options.same_kind, "refuse results of other kinds of processors");
}

/// Refuses a file that the command reads, and one file for two outputs.
void check_outputs(const ComputeOptions& asked) {
    const std::pair<const char*, const std::string&> outputs[] = {
        {"--junit", asked.junit}, {"--markdown", asked.markdown}, {"--sarif", asked.sarif}};
    for (const auto& [option, file] : outputs) {
        refuse_output_over(option, file, asked.studies.paths);
        refuse_output_over_study(option, file);
    }
    for (std::size_t i = 0; i < std::size(outputs); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!outputs[i].second.empty() && !outputs[j].second.empty() &&
                is_same_path(outputs[i].second, outputs[j].second))
                refuse_input(
                    fmt::format("{} and {} both name '{}'", outputs[j].first, outputs[i].first, outputs[i].second),
                    "a file for each");
}

/// Refuses options that contradict each other.
void check_compute_options(const ComputeOptions& options) {
    if (options.json && options.quiet) refuse_input("--json and --quiet are both given", "one of them");
    if (options.json && options.times) refuse_input("--json and --times are both given", "one of them");
    check_outputs(options);
}

/// Refuses options that contradict each other. A shard computes only into the store.
void check_options_of_run(const RunOptions& options) {
    require_paths(options.compute.studies, "run");
    check_compute_options(options.compute);
    std::error_code failure;
    if (std::filesystem::is_regular_file(options.output, failure))
        refuse_input("-o names the file '" + options.output + "'", "a folder");
    if (options.watch && options.update) refuse_input("--watch and --update are both given", "one of them");
    if (options.compute.json && options.update) refuse_input("--json and --update are both given", "one of them");
    if (options.update && !options.compute.studies.set.empty())
        refuse_input("--update and --set are both given: the verdicts on record are those of the file as it is",
                     "the value in the study file, or no --update");
    if (options.update && core::is_blank(options.because))
        refuse_input("--update has no reason", "--because \"why the verdicts on record change\"");
    if (!options.because.empty() && !options.update)
        refuse_input("--because needs --update", "both options, or neither");
    if (options.shard.empty() && options.task.empty()) return;
    const std::string given = options.shard.empty() ? "--task" : "--shard";
    const std::pair<const char*, bool> others[] = {{"--task", !options.shard.empty() && !options.task.empty()},
                                                   {"--fresh", options.compute.studies.fresh},
                                                   {"--json", options.compute.json},
                                                   {"--junit", !options.compute.junit.empty()},
                                                   {"--markdown", !options.compute.markdown.empty()},
                                                   {"--sarif", !options.compute.sarif.empty()},
                                                   {"--watch", options.watch},
                                                   {"--update", options.update},
                                                   {"--times", options.compute.times},
                                                   {"--no-figures", options.no_figures},
                                                   {"-o", !options.output.empty()}};
    for (const auto& [name, is_given] : others)
        if (is_given) refuse_input(fmt::format("{} and {} are both given", given, name), "one of them");
}

/// Records the verdicts found, in the study's file and in the results that are written next.
void update(core::StudyRecord& record, const std::string& because) {
    for (const std::string& id : study::update_verdicts(record.file, record, because)) {
        const auto claim = std::find_if(record.claims.begin(), record.claims.end(),
                                        [&](const core::ClaimRecord& each) { return each.id == id; });
        const std::string before = claim->expected && *claim->expected != claim->verdict
                                       ? fmt::format(", was {}", core::verdict_name(*claim->expected))
                                       : "";
        print("{}: claim {}: now expects {}{}\n", record.file, id, core::verdict_name(claim->verdict), before);
    }
    const std::string changelog = study::note_changed_verdicts(record, because);
    if (!changelog.empty()) print("{}: the changed verdicts of {} are listed\n", changelog, record.study);
    for (core::ClaimRecord& claim : record.claims) {
        if (core::is_verdict(claim.verdict)) claim.expected = claim.verdict;
        for (core::ReadingRecord& reading : claim.readings) {
            if (reading.expected && core::is_verdict(reading.verdict)) reading.expected = reading.verdict;
        }
    }
}

/// Reports verdicts that could not be recorded; the results are written all the same.
struct UpdateFailures {
    bool wrong = false;
    bool missing = false;

    void attempt(const std::function<void()>& update) {
        try {
            update();
        } catch (const core::UserError& error) {
            wrong = true;
            for (const core::Diagnostic& each : error.diagnostics()) print_error("{}\n", core::format(each));
        } catch (const core::MissingError& error) {
            missing = true;
            print_error("{}\n", error.what());
        }
    }
};

/// If a file cannot be written, the status of the verdicts is kept.
void write_text(const std::string& path, const std::string& text, const char* option, Outcome& outcome) {
    try {
        if (path.empty()) return;
        core::check_replaceable(path, option);
        core::write_file(path, text, option);
    } catch (const core::MissingError& error) {
        outcome.missing = true;
        print_error("{}\n", error.what());
    }
}

/// Whether a run writes files of such names into the folder of its results.
bool is_name_of_results(const std::filesystem::path& name) {
    constexpr std::string_view endings[] = {".csv", ".npy", ".svg", ".png"};
    return name == "results.json" || name == "report.html" ||
           std::find(std::begin(endings), std::end(endings), name.extension().string()) != std::end(endings);
}

/// Refuses outputs over a file that a study names or a file of the results, before anything is written. Invalid studies
/// count too, because their problems are written.
void check_outputs(const ComputeOptions& asked, const std::filesystem::path& results) {
    const std::pair<const char*, const std::string&> outputs[] = {
        {"--junit", asked.junit}, {"--markdown", asked.markdown}, {"--sarif", asked.sarif}};
    std::vector<study::Found> studies;
    try {
        std::vector<std::string> unreadable;
        studies = study::find_studies(asked.studies.paths, unreadable);
    } catch (const core::UserError&) {
        return;  // reported when the studies are read
    }
    for (const auto& [option, file] : outputs) {
        if (file.empty()) continue;
        for (const study::Found& study : studies) {
            refuse_output_over(option, file, files_named_in(study.file));
            const std::filesystem::path name(file);
            if (!results.empty() && is_name_of_results(name.filename()) &&
                is_same_path(name.parent_path().string(), (results / study.name).string()))
                refuse_input(fmt::format("{} names '{}', a file of the results", option, file), "another file");
        }
    }
}

/// Writes the results, unless that would lose results of an earlier run; whether it does.
bool write_results(const core::StudyRecord& record, const std::string& folder, const report::WriteOptions& options) {
    const std::vector<std::string> losses = report::losses_of_writing(record, folder);
    if (losses.empty()) {
        report::write_study(record, folder, options);
        return true;
    }
    print_error(
        "{}: the results in '{}' are not replaced: they include {}, which this run did not compute; to write "
        "the results of this run, add -o DIR\n",
        record.file, folder,
        losses.size() == 1
            ? "'" + losses.front() + "'"
            : fmt::format("{} quantities, claims and figures, such as '{}'", losses.size(), losses.front()));
    return false;
}

std::string folder_of_results(const RunOptions& asked) {
    return asked.output.empty() ? "results" : asked.output;
}

/// The files that were asked for. `records` without problems that kept the studies from running, or these alone.
void write_files(const ComputeOptions& asked, const std::vector<core::StudyRecord>& records,
                 const std::vector<report::Alert>& problems, Outcome& outcome) {
    write_text(asked.junit, report::junit(records, problems), "--junit", outcome);
    write_text(asked.markdown, report::markdown(records, problems), "--markdown", outcome);
    const std::vector<report::Alert> alerts = problems.empty() ? alerts_of(records) : problems;
    write_text(asked.sarif, report::sarif(alerts, study::version()), "--sarif", outcome);
}

/// The studies that are asked for. The files are written for invalid studies too.
std::vector<study::Study> read_studies_of(const ComputeOptions& asked, const study::Options& options,
                                          std::vector<std::string>& unreadable) {
    const auto write_problems = [&](const std::vector<report::Alert>& problems) {
        Outcome outcome;
        write_files(asked, {}, problems, outcome);
    };
    return read_studies(asked.studies.paths, options, unreadable, write_problems);
}

int run_once(const RunOptions& asked) {
    const StudyArguments& arguments = asked.compute.studies;
    const study::Options options = options_of(arguments);
    const std::filesystem::path output = folder_of_results(asked);
    check_outputs(asked.compute, output);
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = read_studies_of(asked.compute, options, unreadable);
    check_folders(studies, output);
    const bool is_shared = !arguments.store.empty() || std::getenv("FARFIELD_STORE");
    if (asked.same_kind) refuse_other_kinds(studies, options);
    catch_interrupts();
    bool is_written = true;
    UpdateFailures failures;
    Outcome outcome =
        run_studies(studies, unreadable, options, asked.compute.telling(), [&](core::StudyRecord& record) {
            if (asked.update && !record.failed.empty())
                print_error("{}: something failed, so no verdicts were put on record\n", record.file);
            else if (asked.update && !record.interrupted)
                failures.attempt([&] { update(record, asked.because); });
            is_written = write_results(record, (output / record.study).string(),
                                       {.figures = !asked.no_figures && !record.interrupted});
        });
    outcome.wrong = outcome.wrong || failures.wrong;
    outcome.missing = outcome.missing || failures.missing;
    if (asked.compute.times) tell_times(outcome);
    write_files(asked.compute, outcome.records, {}, outcome);
    if (is_shared) tell_other_kinds(studies, options);
    const bool has_reader = asked.compute.telling() == Telling::claims && isatty(STDOUT_FILENO) == 1;
    if (has_reader && studies.size() == 1 && is_written && !was_interrupted())
        print("report: {}\n", (output / studies.front().name() / "report.html").string());
    return outcome.status();
}

/// Runs at every save; a study that is wrong meanwhile is reported, and the next save tried.
int run_at_saves(const RunOptions& asked) {
    catch_interrupts();
    Saves saves(asked.compute.studies.paths, folder_of_results(asked));
    int status = as_expected;
    do {
        try {
            status = run_once(asked);
        } catch (const core::UserError& error) {
            status = tell_nothing_was_run(error);
        } catch (const core::MissingError& error) {
            status = missing;
            print_error("{}\n", error.what());
        }
        flush_output();
    } while (!was_interrupted() && saves.wait(was_interrupted));
    return status;
}

int run(const RunOptions& asked) {
    check_options_of_run(asked);
    const StudyArguments& arguments = asked.compute.studies;
    if (!asked.task.empty()) return run_task(arguments, asked.task, asked.same_kind);
    if (!asked.shard.empty()) return run_shard(arguments, asked.shard, asked.same_kind);
    return asked.watch ? run_at_saves(asked) : run_once(asked);
}

int check(const ComputeOptions& asked) {
    require_paths(asked.studies, "check");
    check_compute_options(asked);
    study::Options options = options_of(asked.studies);
    options.claims_only = true;
    check_outputs(asked, {});
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = read_studies_of(asked, options, unreadable);
    catch_interrupts();
    Outcome outcome = run_studies(studies, unreadable, options, asked.telling(), [](const core::StudyRecord& record) {
        core::Problems of_figures;
        report::find_figure_problems(record, of_figures);
        of_figures.raise();
    });
    if (asked.times) tell_times(outcome);
    write_files(asked, outcome.records, {}, outcome);
    return outcome.status();
}

}  // namespace

const Command run_command{"run", "compute everything in the studies: numbers, figures, verdicts",
                          declare<RunOptions, add_run_options, run>, false, true};
const Command check_command{"check", "check the claims only, for continuous integration",
                            declare<ComputeOptions, add_compute_options, check>, false, true};

}  // namespace farfield::cli
