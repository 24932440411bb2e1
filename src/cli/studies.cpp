#include "cli/studies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>
#include <map>

#include "cli/alerts.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/run_of_studies.hpp"
#include "cli/saves.hpp"
#include "report/written_files.hpp"
#include "study/body.hpp"
#include "study/plan.hpp"

namespace farfield::cli {

namespace {

using core::Verdict;

/// A problem of a claim, at its line of the study.
void tell_problem(const core::Place& place, const std::string& file, const std::string& problem) {
    const std::string& where = place.file.empty() ? file : place.file;
    print_error("{}:{}: {}\n", where, place.line, problem);
    annotate(place, file, "error", problem);
}

std::string plural(std::size_t count, const std::string& word) {
    return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

/// Bytes of a reason on its line; `explain` prints all of it.
constexpr std::size_t most_of_a_reason = 240;

/// Why a claim is undecided: what its first undecided reading found, as "; c does not exist; c > 1 is undecided".
std::string reason_of(const core::ClaimRecord& claim) {
    if (core::without_scale(claim.verdict) != Verdict::undecided) return "";
    for (const core::ReadingRecord& reading : claim.readings) {
        if (reading.extra || core::without_scale(reading.verdict) != Verdict::undecided) continue;
        return "; " + core::printable_line(core::shortened(reading.explain, most_of_a_reason));
    }
    return "";
}

void tell_unexpected(const core::ClaimRecord& claim, const std::string& file) {
    const auto tell = [&](const std::string& problem) {
        tell_problem(claim.place, file, "claim " + claim.id + problem);
    };
    const auto differs = [](Verdict expected, Verdict found) {
        return fmt::format(": expected {}, found {}", core::verdict_name(expected), core::verdict_name(found));
    };
    const std::string reason = reason_of(claim);
    if (claim.expected && *claim.expected != claim.verdict) tell(differs(*claim.expected, claim.verdict) + reason);
    if (claim.is_unstated() && !core::is_favourable(claim.verdict))
        tell(fmt::format(": found {}, without an expected verdict{}", core::verdict_name(claim.verdict), reason));
    for (const core::ReadingRecord& reading : claim.readings) {
        if (!reading.as_expected())
            tell(", reading '" + reading.name + "'" + differs(*reading.expected, reading.verdict));
    }
}

/// Prints a line for each threshold whose change by at most a quarter changes a verdict.
void tell_sensitive(const core::ClaimRecord& claim) {
    for (const core::ReadingRecord& reading : claim.readings) {
        if (reading.extra) continue;
        for (const core::BreakEven& threshold : reading.break_even)
            if (threshold.sensitive)
                print("  {:<10} sensitive  {} ({})\n", "", core::printable_line(reading.text_of(threshold)),
                      core::printable_line(reading.name));
    }
}

Colour colour_of(const core::ClaimRecord& claim) {
    if (claim.fails()) return Colour::red;
    if (claim.verdict == Verdict::missing) return Colour::yellow;
    return core::is_verdict(claim.verdict) && claim.expected ? Colour::green : Colour::none;
}

/// Prints a line for a claim, and lines for its sensitive thresholds.
void tell_claim(const core::ClaimRecord& claim) {
    const bool judged = core::is_verdict(claim.verdict);
    const std::string note = !judged                    ? ""
                             : claim.certified          ? "certified"
                             : claim.is_by_definition() ? "by definition"
                                                        : "";
    const std::string scale = claim.scale.empty() ? "" : " (" + claim.scale + ")";
    print("  {:<10} ", core::printable_line(claim.id));
    write_coloured(fmt::format("{:<10}", core::verdict_name(claim.verdict)), colour_of(claim));
    print(" {:<10} {}{}\n", note, sentence_line(claim.says), scale);
    tell_sensitive(claim);
}

/// Prints the problems of a claim to standard error.
void tell_problems(const core::ClaimRecord& claim, const std::string& file, Outcome& outcome) {
    if (claim.fails()) {
        outcome.unexpected = true;
        tell_unexpected(claim, file);
    }
    if (claim.verdict == Verdict::missing) {
        outcome.missing = true;
        const std::string reason = claim.readings.empty() ? "" : ": " + claim.readings.front().explain;
        const std::string problem = "claim " + claim.id + ": missing" + reason;
        print_error("{}:{}: {}\n", claim.place.file.empty() ? file : claim.place.file, claim.place.line, problem);
        annotate(claim.place, file, "warning", problem);
    }
}

/// A remark on the quantities that `check` leaves out, if only the claims determine what is computed.
std::string left_out(const study::Study& study, const study::Options& options) {
    if (!options.claims_only || !options.only.empty()) return "";
    const std::vector<bool> wanted = study::wanted_items(*study.body(), options);
    const auto count = static_cast<std::size_t>(std::count(wanted.begin(), wanted.end(), false));
    if (count == 0) return "";
    return fmt::format("; not computed: {} that no claim needs",
                       count == 1 ? "1 quantity" : fmt::format("{} quantities", count));
}

void tell_study(const core::StudyRecord& record, const std::string& left_out, Telling telling, Outcome& outcome) {
    const bool tells_claims = telling == Telling::claims;
    if (tells_claims)
        print("{}: {}, {}{}\n", record.study, plural(record.quantities.size(), "result"),
              plural(record.claims.size(), "claim"), left_out);
    for (const core::ClaimRecord& claim : record.claims) {
        if (tells_claims) tell_claim(claim);
        flush_output();
        tell_problems(claim, record.file, outcome);
    }
    flush_output();
}

/// The first names of a list, and their number.
std::string named(const std::vector<std::string>& names) {
    constexpr std::size_t most_named = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), most_named); ++i) text += (i > 0 ? ", " : "") + names[i];
    return names.size() > most_named ? fmt::format("{}, ... ({} in all)", text, names.size()) : text;
}

}  // namespace

void check_folders(const std::vector<study::Study>& studies, const std::filesystem::path& output) {
    core::Problems problems;
    for (const study::Study& study : studies) {
        const std::string folder = (output / study.name()).string();
        core::Place place;
        place.file = study.file();
        const auto before = report::read_written_files(folder);
        std::error_code failure;
        const bool is_other = before && std::filesystem::exists(before->file, failure) &&
                              !std::filesystem::equivalent(before->file, study.file(), failure);
        if (is_other && !failure)
            problems.add(place, "'" + folder + "' holds the results of " + before->file + ", a study of the same name",
                         "a folder of its own: -o DIR");
        for (const std::string& input : files_named_in(study.file()))
            if (std::filesystem::equivalent(std::filesystem::path(input).parent_path(), folder, failure))
                problems.add(place,
                             "the results would go into '" + folder + "', where the study's input '" +
                                 std::filesystem::proximate(input).string() + "' is",
                             "another folder: -o DIR");
    }
    problems.raise();
}

// Reports each cause once, with the quantities and claims that failed because of it.
void tell_failures(const core::StudyRecord& record, Outcome& outcome) {
    for (const std::string& warning : record.warnings) print_error("{}: warning: {}\n", record.file, warning);
    for (const auto& [name, reason] : record.missing) {
        outcome.missing = true;
        print_error("{}: {} is missing: {}\n", record.file, name, reason);
    }
    if (record.failed.empty()) return;
    outcome.wrong = true;
    std::vector<std::pair<std::string, std::vector<std::string>>> causes;
    std::map<std::string, std::size_t> known;
    std::vector<report::Alert> alerts;
    for (const core::FailureRecord& failure : record.failed) {
        // Hints may contain the values of a sweep's item.
        std::vector<core::Diagnostic> cause = failure.diagnostics;
        for (core::Diagnostic& each : cause) each.hint.clear();
        const auto [at, is_new] = known.emplace(core::format(cause), causes.size());
        if (is_new) {
            causes.emplace_back(failure.text(), std::vector<std::string>{});
            for (report::Alert& alert : alerts_of(failure.diagnostics, record.file)) alerts.push_back(std::move(alert));
        }
        causes[at->second].second.push_back(failure.name);
    }
    const std::size_t shown = std::min(causes.size(), core::Problems::most_kept);
    for (std::size_t i = 0; i < shown; ++i)
        print_error("{}\n   not computed: {}\n", causes[i].first, named(causes[i].second));
    if (causes.size() > shown) print_error("and {} more\n", causes.size() - shown);
    annotate(alerts);
    print_error("{}{}\n", plural(causes.size(), "problem"),
                record.interrupted ? "." : "; everything else of " + record.study + " was computed.");
}

namespace {

void add_loss(Outcome& outcome, const std::string& what) {
    if (!what.empty()) outcome.lost += (outcome.lost.empty() ? "" : "; ") + what;
}

/// If a figure cannot be drawn, the verdicts of the following studies must not be lost.
void try_to_keep(core::StudyRecord& record, const std::function<void(core::StudyRecord&)>& keep, Outcome& outcome) {
    try {
        keep(record);
    } catch (const core::MissingError& error) {
        outcome.missing = true;
        print_error("{}\n", error.what());
        add_loss(outcome, "results of " + record.study);
    } catch (const core::UserError& error) {
        outcome.wrong = true;
        for (const core::Diagnostic& each : error.diagnostics()) print_error("{}\n", core::format(each));
        print_error("{}; everything else of {} was computed.\n",
                    plural(error.diagnostics().size() + error.more(), "figure problem"), record.study);
    }
}

void tell_summary(const Outcome& outcome) {
    std::map<Verdict, std::size_t> not_judged;
    std::size_t claims = 0, expected = 0, unexpected = 0, unstated = 0;
    for (const core::StudyRecord& record : outcome.records) {
        for (const core::ClaimRecord& claim : record.claims) {
            ++claims;
            const bool judged = core::is_verdict(claim.verdict);
            if (!claim.as_expected())
                ++unexpected;
            else if (claim.is_unstated())
                ++unstated;
            else
                ++(judged ? expected : not_judged[claim.verdict]);
        }
    }
    const std::string apart = unstated > 0 ? fmt::format("{} without an expected verdict, ", unstated) : "";
    print("{}: {} as expected, {} unexpected, {}{} missing, {} skipped\n", plural(claims, "claim"), expected,
          unexpected, apart, not_judged[Verdict::missing], not_judged[Verdict::skipped]);
}

/// The slowest quantity of a study; null if there is none.
const core::Result* slowest(const core::StudyRecord& record) {
    const auto found =
        std::max_element(record.quantities.begin(), record.quantities.end(),
                         [](const core::Result& a, const core::Result& b) { return a.seconds < b.seconds; });
    return found == record.quantities.end() ? nullptr : &*found;
}

}  // namespace

void tell_times(const Outcome& outcome) {
    std::vector<const core::StudyRecord*> records;
    double total = 0;
    for (const core::StudyRecord& record : outcome.records) {
        records.push_back(&record);
        total += record.seconds;
    }
    std::stable_sort(records.begin(), records.end(),
                     [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
    print("\n  seconds  share  study\n");
    for (const core::StudyRecord* record : records) {
        const core::Result* quantity = slowest(*record);
        std::string most;
        if (record->training_seconds > 0) most += fmt::format(", training {:.2f}", record->training_seconds);
        if (quantity) most += fmt::format(", {} {:.2f}", quantity->name, quantity->seconds);
        if (!most.empty()) most.replace(0, 1, ":");
        print("  {:7.2f}  {:4.0f}%  {}{}\n", record->seconds, total > 0 ? 100 * record->seconds / total : 0,
              record->study, most);
    }
    print("  {:7.2f}         all studies; what came from the cache counts as what it took then\n", total);
}

int Outcome::status() const {
    if (was_interrupted()) return interrupted;
    if (wrong) return wrong_input;
    if (unexpected) return Status::unexpected;
    return missing ? Status::missing : as_expected;
}

void add_selection(CLI::App& app, StudyArguments& arguments) {
    app.add_option("PATH", arguments.paths, "studies, or folders of them");
    add_list(app, "--only", arguments.only, "quantities, figures and claims, and their dependencies");
    add_pairs(app, "--set", "PATH=VALUE", arguments.set, "override a value of the file: scheme.x.params.w=80");
    const auto read_device = [&arguments](const std::string& text) {
        const std::vector<std::string> devices = {"auto", "cpu", "cuda"};
        if (std::find(devices.begin(), devices.end(), text) == devices.end())
            refuse_input("unknown device '" + text + "'", "", core::known_here(text, devices));
        arguments.device = text;
    };
    offer(*app.add_option_function<std::string>("--device", read_device, "auto, cpu or cuda"), {"auto", "cpu", "cuda"});
}

void add_store(CLI::App& app, StudyArguments& arguments) {
    app.add_option("--store,--cache", arguments.store,
                   "folder of finished results, which machines may share; default: FARFIELD_STORE, or the user's "
                   "cache folder");
}

void add_train(CLI::App& app, StudyArguments& arguments, const std::string& help) {
    app.add_flag("--train", arguments.train, help);
}

void require_paths(const StudyArguments& arguments, std::string_view command) {
    require_words(!arguments.paths.empty(), command,
                  "a study or a folder of studies: farfield " + std::string(command) + " PATH...");
}

std::vector<study::Study> read_studies(const std::vector<std::string>& paths, const study::Options& options,
                                       std::vector<std::string>& unreadable, const OnProblems& on_problems) {
    try {
        return study::read_all(paths, options, unreadable);
    } catch (const core::UserError& error) {
        const std::vector<report::Alert> alerts = alerts_of(error.diagnostics(), "");
        annotate(alerts);
        if (on_problems) on_problems(alerts);
        throw;
    }
}

study::Options options_of(const StudyArguments& arguments) {
    std::error_code failure;
    const std::filesystem::file_status store = std::filesystem::status(arguments.store, failure);
    if (std::filesystem::exists(store) && !std::filesystem::is_directory(store))
        refuse_input("the store '" + arguments.store + "' is not a folder", "--store DIR");
    study::Options options;
    options.only = arguments.only;
    options.set = arguments.set;
    options.cache = arguments.store.empty() ? study::default_cache() : arguments.store;
    options.fresh = arguments.fresh;
    options.train = arguments.train;
    options.interrupted = was_interrupted;
    options.device = device_of(arguments, options.cache);
    return options;
}

Outcome run_studies(const std::vector<study::Study>& studies, const std::vector<std::string>& unreadable,
                    const study::Options& options, Telling telling,
                    const std::function<void(core::StudyRecord&)>& keep) {
    Outcome outcome;
    outcome.missing = !unreadable.empty();
    for (const std::string& each : unreadable) print_error("{}\n", each);
    RunOfStudies runs(studies, options);
    for (std::size_t at = 0; at < studies.size(); ++at) {
        try {
            core::StudyRecord record = runs.take(at);
            set_last_words("what was not yet written");
            add_loss(outcome, record.lost);
            tell_failures(record, outcome);
            const auto is_judged = [](const core::ClaimRecord& claim) { return core::is_verdict(claim.verdict); };
            const bool empty = record.interrupted && record.quantities.empty() && record.warnings.empty() &&
                               std::none_of(record.claims.begin(), record.claims.end(), is_judged);
            if (!empty) {
                try_to_keep(record, keep, outcome);
                tell_study(record, left_out(studies[at], options), telling, outcome);
                outcome.records.push_back(std::move(record));
            }
        } catch (const core::UserError& error) {
            runs.clear();
            outcome.wrong = true;
            print_error("{}\n", error.what());
        } catch (const std::length_error&) {
            throw;  // not enough memory
        } catch (const std::logic_error& error) {
            // The other studies are computed all the same.
            runs.clear();
            outcome.wrong = true;
            print_error("{}: an error inside farfield, please report it: {}\n", studies[at].file(), error.what());
        }
        if (was_interrupted()) break;
    }
    if (telling == Telling::json)
        write_output(report::claims_json(outcome.records));
    else
        tell_summary(outcome);
    if (was_interrupted())
        print_error("interrupted; {}\n", outcome.lost.empty() ? "what was finished is kept" : "lost: " + outcome.lost);
    return outcome;
}

}  // namespace farfield::cli
