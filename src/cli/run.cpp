#include <fmt/format.h>

#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/shard.hpp"
#include "cli/studies.hpp"
#include "report/written_files.hpp"

namespace farfield::cli {

namespace {

/// Puts what was found on record, in the file and in the results about to be written.
void update(core::StudyRecord& record, const std::string& because) {
    const std::string changelog = study::note_changed_verdicts(record, because);
    if (!changelog.empty()) print("{}: the changed verdicts of {} are listed\n", changelog, record.study);
    for (const std::string& id : study::update_verdicts(record.file, record, because)) {
        print("{}: claim {}: put on record\n", record.file, id);
    }
    for (core::ClaimRecord& claim : record.claims) {
        if (core::is_verdict(claim.verdict)) claim.expected = claim.verdict;
        for (core::ReadingRecord& reading : claim.readings) {
            if (reading.expected && core::is_verdict(reading.verdict)) reading.expected = reading.verdict;
        }
    }
}

/// A file that cannot be written does not cost the verdicts their status.
void write_text(const std::string& path, const std::string& text, const char* option, Outcome& outcome) {
    try {
        if (!path.empty()) core::write_file(path, text, option);
    } catch (const core::MissingError& error) {
        outcome.missing = true;
        print_error("{}\n", error.what());
    }
}

/// Another study of the same name may have left its results where these would go.
void check_folders(const std::vector<study::Study>& studies, const std::filesystem::path& output) {
    core::Problems problems;
    for (const study::Study& study : studies) {
        const std::string folder = (output / study.name()).string();
        const auto before = report::read_written_files(folder);
        std::error_code failure;
        const bool is_other = before && std::filesystem::exists(before->file, failure) &&
                              !std::filesystem::equivalent(before->file, study.file(), failure);
        if (!is_other || failure) continue;
        core::Place place;
        place.file = study.file();
        problems.add(place, "'" + folder + "' holds the results of " + before->file + ", a study of the same name",
                     "a folder of its own: -o DIR");
    }
    problems.raise();
}

}  // namespace

int run(const CommandLine& line) {
    if (!line.shard.empty() || !line.task.empty()) return run_shard(line);
    const study::Options options = options_of(line);
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(line.paths, options, unreadable);
    const std::filesystem::path output = line.output.empty() ? "results" : line.output;
    check_folders(studies, output);
    const bool is_shared = line.cache || std::getenv("FARFIELD_STORE");
    if (line.same_kind) refuse_other_kinds(studies, options);
    catch_interrupts();
    const Outcome outcome = run_studies(studies, unreadable, options, [&](core::StudyRecord& record) {
        if (line.update && !record.failed.empty())
            print_error("{}: something failed, so no verdicts were put on record\n", record.file);
        else if (line.update && !record.interrupted)
            update(record, line.because);
        report::write_study(record, (output / record.study).string(), {.figures = line.figures && !record.interrupted});
    });
    if (line.times) tell_times(outcome);
    if (is_shared) tell_other_kinds(studies, options);
    return outcome.status();
}

int check(const CommandLine& line) {
    study::Options options = options_of(line);
    options.claims_only = true;
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(line.paths, options, unreadable);
    catch_interrupts();
    Outcome outcome = run_studies(studies, unreadable, options, [](core::StudyRecord&) {});
    if (line.times) tell_times(outcome);
    write_text(line.junit, report::junit(outcome.records), "--junit", outcome);
    write_text(line.markdown, report::markdown(outcome.records), "--markdown", outcome);
    return outcome.status();
}

}  // namespace farfield::cli
