#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/studies.hpp"

namespace farfield::cli {

namespace {

/// Puts what was found on record, in the file and in the results about to be written.
void update(core::StudyRecord& record, const std::string& because) {
    const std::string changelog = study::note_changed_verdicts(record, because);
    if (!changelog.empty()) print("{}: the changed verdicts of {} are listed\n", changelog, record.study);
    for (const std::string& id : study::update_verdicts(record.file, record, because)) {
        print("{}: claim {}: put on record\n", record.file, id);
    }
    const auto is_verdict = [](core::Verdict verdict) {
        return verdict != core::Verdict::missing && verdict != core::Verdict::skipped;
    };
    for (core::ClaimRecord& claim : record.claims) {
        if (is_verdict(claim.verdict)) claim.expected = claim.verdict;
        for (core::ReadingRecord& reading : claim.readings) {
            if (reading.expected && is_verdict(reading.verdict)) reading.expected = reading.verdict;
        }
    }
}

void write_text(const std::string& path, const std::string& text) {
    if (!path.empty()) core::write_file(path, text);
}

}  // namespace

int run(const CommandLine& line) {
    const study::Options options = options_of(line);
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(line.paths, options, unreadable);
    catch_interrupts();
    const std::filesystem::path output = line.output.empty() ? "results" : line.output;
    const Outcome outcome = run_studies(studies, unreadable, options, [&](core::StudyRecord& record) {
        if (line.update && !record.interrupted) update(record, line.because);
        report::write_study(record, (output / record.study).string(), {.figures = line.figures && !record.interrupted});
    });
    if (line.times) tell_times(outcome);
    return outcome.status();
}

int check(const CommandLine& line) {
    study::Options options = options_of(line);
    options.claims_only = true;
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(line.paths, options, unreadable);
    catch_interrupts();
    const Outcome outcome = run_studies(studies, unreadable, options, [](core::StudyRecord&) {});
    if (line.times) tell_times(outcome);
    write_text(line.junit, report::junit(outcome.records));
    write_text(line.markdown, report::markdown(outcome.records));
    return outcome.status();
}

}  // namespace farfield::cli
