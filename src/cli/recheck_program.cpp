// farfield-recheck: a separate program, so that the other commands need not load Arb.
#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/input_file.hpp>
#include <filesystem>
#include <set>

#include "cli/json.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/recheck_options.hpp"
#include "core/paths.hpp"
#include "recheck/recheck.hpp"

namespace farfield::cli {
namespace {

namespace fs = std::filesystem;
using recheck::Checked;
using recheck::CheckedClaim;
using Proof = recheck::Outcome;

[[noreturn]] void refuse_results(const std::string& path, std::string found, std::string wanted) {
    core::Place place;
    place.file = path;
    throw core::UserError({{place, std::move(found), std::move(wanted), "farfield run writes such files."}});
}

/// The results.json files of the paths: files, or all files below a folder, sorted. Each file is listed once.
std::vector<std::string> files_of(const std::vector<std::string>& paths) {
    std::vector<std::string> files;
    std::set<fs::path> seen;
    const auto add = [&](const std::string& file) {
        std::error_code failure;
        if (seen.insert(fs::weakly_canonical(file, failure)).second || failure) files.push_back(file);
    };
    for (const std::string& path : paths) {
        std::error_code failure;
        const fs::file_status status = fs::status(path, failure);
        if (status.type() == fs::file_type::not_found)
            refuse_results(path, "'" + path + "' does not exist", "a results.json");
        if (failure) throw core::MissingError("recheck '" + path + "'", failure.message(), "a path that can be read");
        if (!fs::is_directory(status)) {
            add(path);
            continue;
        }
        std::vector<std::string> found;
        fs::recursive_directory_iterator entry(path, failure);
        for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure))
            if (entry->path().filename() == "results.json") found.push_back(entry->path().string());
        if (failure)
            throw core::MissingError("recheck '" + path + "'", failure.message(), "a folder that can be read whole");
        if (found.empty()) refuse_results(path, "'" + path + "' has no results.json", "a folder of results");
        std::sort(found.begin(), found.end());
        for (const std::string& file : found) add(file);
    }
    return files;
}

std::string_view name_of(Proof outcome) {
    if (outcome == Proof::proved) return "re-proved";
    return outcome == Proof::open ? "not re-proved" : "CONTRADICTED";
}

/// The number of certified claims with each outcome.
struct Tally {
    std::size_t claims = 0;
    std::size_t proved = 0;
    std::size_t contradicted = 0;
    std::size_t open_readings = 0;          ///< of all claims
    std::size_t contradicted_readings = 0;  ///< likewise

    void add(const CheckedClaim& claim) {
        for (const Checked& reading : claim.readings) {
            open_readings += reading.outcome == Proof::open ? 1 : 0;
            contradicted_readings += reading.outcome == Proof::contradicted ? 1 : 0;
        }
        if (!claim.why.empty()) ++contradicted_readings;
        if (!claim.is_certified) return;
        ++claims;
        proved += claim.outcome() == Proof::proved ? 1 : 0;
        contradicted += claim.outcome() == Proof::contradicted ? 1 : 0;
    }
};

void tell_checked(const CheckedClaim& claim) {
    print("{} {}  {}  {}{}\n", claim.study, claim.id, claim.verdict, name_of(claim.outcome()),
          claim.is_certified ? "" : " (some readings are certified)");
    if (!claim.why.empty()) print("    {}\n", claim.why);
    for (const Checked& reading : claim.readings)
        if (reading.outcome != Proof::proved)
            print("    {}: {}: {}\n", name_of(reading.outcome), reading.reading, reading.why);
}

Json json_of(const CheckedClaim& claim) {
    Json readings = Json::array();
    for (const Checked& reading : claim.readings)
        readings.push_back({{"name", reading.reading}, {"outcome", name_of(reading.outcome)}, {"why", reading.why}});
    return {{"study", claim.study},
            {"id", claim.id},
            {"verdict", claim.verdict},
            {"certified", claim.is_certified},
            {"outcome", name_of(claim.outcome())},
            {"why", claim.why},
            {"readings", readings}};
}

std::vector<CheckedClaim> recheck_file(const std::string& path) {
    try {
        return recheck::recheck(core::read_file(path));
    } catch (const core::MissingError&) {
        throw;
    } catch (const std::runtime_error& error) {
        refuse_results(path, error.what(), "a results.json");
    }
}

int recheck_results(const RecheckOptions& options) {
    require_words(!options.paths.empty(), "recheck", "a results.json or a folder of results: farfield recheck results");
    core::Problems problems;
    core::report_repeated_paths(options.paths, problems);
    problems.raise();
    Tally tally;
    Json json = Json::array();
    Progress progress;
    const std::vector<std::string> files = files_of(options.paths);
    for (std::size_t at = 0; at < files.size(); ++at) {
        const std::string& path = files[at];
        progress.tell(path, static_cast<double>(at), static_cast<double>(files.size()));
        const std::vector<CheckedClaim> claims = recheck_file(path);
        progress.clear();
        for (const CheckedClaim& claim : claims) {
            tally.add(claim);
            if (options.json)
                json.push_back(json_of(claim));
            else
                tell_checked(claim);
        }
        flush_output();
    }
    if (options.json)
        write_output(json_lines(json));
    else
        print("{} certified claim{}: {} re-proved, {} not, {} contradicted\n", tally.claims,
              tally.claims == 1 ? "" : "s", tally.proved, tally.claims - tally.proved - tally.contradicted,
              tally.contradicted);
    const bool is_incomplete = options.strict && tally.open_readings > 0;
    return tally.contradicted_readings > 0 || is_incomplete ? unexpected : as_expected;
}

}  // namespace

}  // namespace farfield::cli

int main(int count, char** arguments) {
    using namespace farfield::cli;
    return run_main([&] { return perform(recheck_command_of<recheck_results>(), {arguments + 1, arguments + count}); });
}
