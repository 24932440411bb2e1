#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/doctor/doctor.hpp>
#include <farfield/formula/tree.hpp>
#include <farfield/measure/kind.hpp>
#include <farfield/quantity/kind.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/study/keys.hpp>
#include <farfield/study/study.hpp>
#include <filesystem>
#include <set>

#include "cli/commands.hpp"
#include "cli/error_families.hpp"
#include "cli/interrupt.hpp"
#include "cli/list.hpp"
#include "cli/output.hpp"
#include "cli/run_of_studies.hpp"
#include "cli/schemes.hpp"
#include "cli/studies.hpp"

namespace farfield::cli {

namespace {

struct ExplainOptions {
    std::vector<std::string> words;  ///< a name, then paths; with --all, only paths
    StudyArguments studies;
    bool all = false;
    bool json = false;
};

/// What `run` prints beside a verdict.
struct Note {
    std::string_view name;
    std::string_view meaning;
};
constexpr Note notes[] = {
    {"certified", "a verdict that is proven: exact or interval arithmetic decides every reading of the claim"},
    {"by definition", "a claim that its definitions decide, whatever was computed"},
    {"sensitive", "a threshold of a claim: another one, at most a quarter away, gives another verdict"},
};

/// Everything that `explain` knows.
std::vector<std::string> known_names(const std::vector<study::Study>& studies) {
    std::vector<std::string> known = scheme::Registry::builtin().names();
    for (const quantity::Kind& kind : quantity::kinds()) known.emplace_back(kind.name);
    for (const measure::Kind& kind : measure::kinds()) known.emplace_back(kind.name);
    for (const formula::OperatorRow& row : formula::operators()) known.emplace_back(row.spelling);
    for (const ErrorFamily& family : error_families()) known.emplace_back(family.id);
    for (const Note& note : notes) known.emplace_back(note.name);
    for (const doctor::FindingKind& finding : doctor::finding_kinds()) known.push_back(finding.id);
    for (const study::Study& study : studies)
        for (const auto& [id, place] : study.claim_ids()) known.push_back(id);
    return known;
}

void add_explain_options(CLI::App& app, ExplainOptions& options) {
    offer(*app.add_option("NAME", options.words,
                          "a claim, kind of quantity, scheme, function, or an error by its message or id; after a "
                          "claim: studies, or folders of them; "
                          "default: the folder 'studies', or the current folder"),
          known_names({}));
    add_store(app, options.studies);
    app.add_flag("--all", options.all, "explain all claims of the studies");
    app.add_flag("--json", options.json, "print claims as JSON, as in results.json");
    add_threads(app);
}

void print_keys(std::span<const core::Key> keys) {
    std::size_t widest = 0;
    for (const core::Key& key : keys) widest = std::max(widest, key.name.size());
    for (const core::Key& key : keys) {
        const std::string about = key.required           ? "required"
                                  : key.fallback.empty() ? ""
                                                         : "default: " + std::string(key.fallback);
        print("  {:<{}}  {}{}\n", key.name, widest, key.meaning, about.empty() ? "" : " (" + about + ")");
    }
}

template <class Kind>
void print_kind(const Kind& kind, bool takes_scheme) {
    print("{}: {}\n\nkeys\n", kind.name, kind.summary);
    print_keys(kind.keys);
    if (takes_scheme) {
        print("\nkeys that choose a scheme or a formula\n");
        print_keys(quantity::scheme_selection_keys());
    }
    print("\nkeys of every quantity\n");
    print_keys(study::quantity_keys());
}

/// Whether `name` is part of the language; prints what it means.
bool explain_name(const std::string& name) {
    if (const quantity::Kind* kind = quantity::find_kind(name)) {
        print_kind(*kind, kind->takes_scheme);
        return true;
    }
    if (const measure::Kind* kind = measure::find_kind(name)) {
        print_kind(*kind, false);
        return true;
    }
    const scheme::Registry& schemes = scheme::Registry::builtin();
    const scheme::Scheme* const scheme = schemes.find(name);
    if (const scheme::Scheme* known = scheme ? scheme : schemes.find(scheme::usual_name(name))) {
        print_scheme(*known);
        return true;
    }
    if (const std::optional<core::Verdict> verdict = core::find_verdict(name)) {
        print("{}: {}\n", name, core::verdict_meaning(*verdict));
        return true;
    }
    const auto note = std::ranges::find(notes, name, &Note::name);
    if (note != std::end(notes)) {
        print("{}: {}\n", note->name, note->meaning);
        return true;
    }
    const auto findings = doctor::finding_kinds();
    const auto finding = std::ranges::find(findings, name, &doctor::FindingKind::id);
    if (finding != findings.end()) {
        print("{}, a finding of doctor ({}): {}\n", finding->id, finding->severity, finding->meaning);
        return true;
    }
    for (const formula::OperatorRow& row : formula::operators()) {
        if (row.spelling != name) continue;
        print("{}: {}\n", shape_of(row), row.meaning);
        return true;
    }
    return false;
}

/// Whether `name` is an error's id or message; prints what it means.
bool explain_error(const std::string& name) {
    const ErrorFamily* family = find_error(name);
    if (!family) return false;
    print("{}\n\nmeaning\n  {}\n\nwhat to do\n  {}\n\nmessages\n", family->id, family->meaning, family->remedy);
    for (const std::string_view pattern : family->patterns) print("  {}\n", pattern);
    return true;
}

std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return core::printable_line(text);
}

/// Prints a list of numbers, one per line. A number that the condition and the shown values have in common is printed
/// once.
void print_list(std::string_view heading, std::string_view list) {
    std::set<std::string_view> printed;
    while (!list.empty()) {
        const std::size_t end = list.find("; ");
        const std::string_view part = list.substr(0, end);
        if (printed.insert(part).second) print("    {:<11} {}\n", heading, core::printable_line(part));
        list = end == std::string_view::npos ? std::string_view() : list.substr(end + 2);
        heading = "";
    }
}

void print_reading(const core::ReadingRecord& reading) {
    const std::string note = reading.certified ? ", certified" : reading.by_definition ? ", by definition" : "";
    print("\n  {}{}: {}{}\n", core::printable_line(reading.name), reading.extra ? " (not counted)" : "",
          core::verdict_name(reading.verdict), note);
    if (!reading.holds.empty()) print("    condition   {}\n", on_one_line(reading.holds));
    for (const auto& [name, value] : reading.given) print("    given       {} = {}\n", name, value);
    if (!reading.because.empty()) print("    because     {}\n", core::printable_line(reading.because));
    print_list("found", reading.explain);
    for (const core::BreakEven& threshold : reading.break_even)
        print("    {}   {}\n", threshold.sensitive ? "sensitive" : "threshold",
              core::printable_line(reading.text_of(threshold)));
}

void print_claim(const core::ClaimRecord& claim, const std::string& file) {
    const std::string note = claim.certified ? ", certified" : claim.is_by_definition() ? ", by definition" : "";
    const std::string scale = claim.scale.empty() ? "" : " (" + claim.scale + ")";
    print("{}: {}{}{}\n  {}\n", core::printable_line(claim.id), core::verdict_name(claim.verdict), note, scale,
          sentence_line(claim.says));
    if (!claim.source.empty()) print("  source: {}\n", core::printable_line(claim.source));
    if (!claim.comment.empty()) print("  {}\n", core::printable_line(claim.comment));
    print("  in {}:{}\n", file, claim.place.line);
    for (const core::ReadingRecord& reading : claim.readings) print_reading(reading);
    const std::string change = claim.would_change();
    if (!change.empty()) print("\n  what would change it: {}\n", core::printable_line(change));
    if (claim.expected && *claim.expected != claim.verdict)
        print("\n  the study expects: {}\n", core::verdict_name(*claim.expected));
}

bool has_claim(const study::Study& study, const std::string& id) {
    const auto ids = study.claim_ids();
    return std::any_of(ids.begin(), ids.end(), [&](const auto& each) { return each.first == id; });
}

/// The given paths; without paths, the folder where studies usually are.
std::vector<std::string> paths_of(const std::vector<std::string>& given) {
    if (!given.empty()) return given;
    std::error_code failure;
    return {std::filesystem::is_directory("studies", failure) ? "studies" : "."};
}

/// Refuses a claim that the studies of the given paths do not have.
[[noreturn]] void refuse_claim(const std::string& id, const std::vector<study::Study>& studies) {
    std::vector<std::string> known;
    for (const study::Study& study : studies)
        for (const auto& [each, place] : study.claim_ids()) known.push_back(each);
    refuse_input("no claim of these studies has the id '" + id + "'", "", core::known_here(id, known));
}

[[noreturn]] void refuse_name(const std::string& name, const std::vector<study::Study>& studies) {
    refuse_input("unknown name '" + name + "'",
                 "a claim of the studies, a kind, a scheme, a function, a verdict or an error",
                 core::suggestion(name, known_names(studies)));
}

/// Whether a study is below the folder.
bool has_studies(const std::string& folder) {
    try {
        std::vector<std::string> unreadable;
        return !study::find_studies({folder}, unreadable).empty();
    } catch (const core::UserError&) {
        return false;
    }
}

/// The valid studies that have the claim; the others are left out.
std::vector<study::Study> valid_studies_with(const std::string& id, const std::vector<std::string>& paths,
                                             const study::Options& options) {
    std::vector<std::string> unreadable;
    std::vector<study::Study> studies;
    for (const study::Found& found : study::find_studies(paths, unreadable)) {
        try {
            study::Study study = study::read(found, options);
            if (has_claim(study, id)) studies.push_back(std::move(study));
        } catch (const core::UserError&) {
            continue;  // another study may have the claim
        } catch (const core::MissingError&) {
            continue;
        }
    }
    return studies;
}

/// The studies in which a name is searched. A claim is explained although studies beside its own are invalid. The
/// problems of studies in the usual folder are not those of the name.
std::vector<study::Study> read_claims_of(const std::string& id, const std::vector<std::string>& paths, bool is_usual,
                                         const study::Options& options, std::vector<std::string>& unreadable) {
    try {
        return study::read_all(paths, options, unreadable);
    } catch (const core::UserError&) {
        std::vector<study::Study> studies = valid_studies_with(id, paths, options);
        if (studies.size() == 1) return studies;
        if (!is_usual) throw;
        const std::string near = core::suggestion(id, known_names({}));
        refuse_input("unknown name '" + id + "'",
                     "a kind, a scheme, a function, a verdict, an error or a claim of the studies",
                     near + (near.empty() ? "" : " ") + "The studies in '" + paths.front() +
                         "' have problems, so their claims are not known: farfield check " + paths.front());
    }
}

int explain_claims(const ExplainOptions& asked, const std::string& id, const std::vector<std::string>& given) {
    study::Options options = options_of(asked.studies);
    options.claims_only = true;
    const std::vector<std::string> paths = paths_of(given);
    if (!asked.all && given.empty() && !has_studies(paths.front())) refuse_name(id, {});
    std::vector<std::string> unreadable;
    std::vector<study::Study> studies = read_claims_of(id, paths, given.empty() && !asked.all, options, unreadable);
    if (!asked.all) {
        const auto lacks = [&](const study::Study& study) { return !has_claim(study, id); };
        if (std::all_of(studies.begin(), studies.end(), lacks)) {
            if (!given.empty()) refuse_claim(id, studies);
            refuse_name(id, studies);
        }
        std::erase_if(studies, lacks);
        options.only = {id};
    }
    for (const std::string& each : unreadable) print_error("{}\n", each);
    catch_interrupts();
    std::vector<core::StudyRecord> records;
    bool first = true;
    RunOfStudies runs(studies, options);
    for (std::size_t at = 0; at < studies.size(); ++at) {
        records.push_back(runs.take(at));
        if (asked.json) continue;
        for (const core::ClaimRecord& claim : records.back().claims) {
            if (!asked.all && claim.id != id) continue;
            if (!first) print("\n");
            print_claim(claim, records.back().file);
            first = false;
        }
    }
    if (asked.json) write_output(report::claims_json(records, asked.all ? "" : id));
    if (was_interrupted()) return interrupted;
    return unreadable.empty() ? as_expected : missing;
}

int explain(const ExplainOptions& asked) {
    if (asked.all) return explain_claims(asked, "", asked.words);
    require_words(!asked.words.empty(), "explain", "a claim, kind, scheme, function or verdict: farfield explain NAME");
    const std::string& name = asked.words.front();
    const std::vector<std::string> paths(asked.words.begin() + 1, asked.words.end());
    if (paths.empty() && !asked.json && (explain_name(name) || explain_error(name))) return as_expected;
    const std::vector<std::string> others = known_names({});
    const bool is_other = std::find(others.begin(), others.end(), name) != others.end();
    if (asked.json && is_other)
        refuse_input("--json with '" + name + "', which is not a claim", "a claim, or explain --all --json");
    return explain_claims(asked, name, paths);
}

}  // namespace

const Command explain_command{"explain",
                              "explain a claim and its verdict, a kind, a scheme, a function, a verdict or an error",
                              declare<ExplainOptions, add_explain_options, explain>};

}  // namespace farfield::cli
