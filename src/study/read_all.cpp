#include <farfield/study/study.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <map>
#include <stdexcept>

namespace farfield::study {

namespace {

void check_ids(const std::vector<Study>& studies, core::Problems& problems) {
    std::map<std::string, core::Place> first;
    for (const Study& study : studies) {
        for (const auto& [id, place] : study.claim_ids()) {
            const auto [other, is_new] = first.emplace(id, place);
            if (is_new) continue;
            problems.add(place, "a second claim with the id '" + id + "'", "ids unique over a run",
                         fmt::format("The first is {}:{}.", other->second.file, other->second.line));
        }
    }
}

void check_only(const std::vector<Study>& studies, const std::vector<std::string>& only, core::Problems& problems) {
    std::vector<std::string> known;
    for (const Study& study : studies) {
        for (const std::string& name : study.names()) known.push_back(name);
    }
    for (const std::string& name : only) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        problems.add({}, "--only: nothing is named '" + name + "'", "", core::known_here(name, known));
    }
}

/// Reports a check of quantities or figures alone, which would check nothing.
void check_has_claims(const std::vector<Study>& studies, const std::vector<std::string>& only,
                      core::Problems& problems) {
    for (const Study& study : studies)
        for (const auto& [id, place] : study.claim_ids())
            if (std::find(only.begin(), only.end(), id) != only.end()) return;
    problems.add({}, "--only: no claim is named, so nothing would be checked",
                 "a claim of the studies, or a run in place of a check");
}

}  // namespace

std::string default_cache() {
    const char* store = std::getenv("FARFIELD_STORE");
    if (store && *store) return store;
    const char* base = std::getenv("XDG_CACHE_HOME");
    if (base && *base == '/') return std::string(base) + "/farfield";
    const char* home = std::getenv("HOME");
    return home && *home ? std::string(home) + "/.cache/farfield" : "";
}

std::vector<Study> read_all(const std::vector<std::string>& paths, const Options& options,
                            std::vector<std::string>& unreadable) {
    core::Problems problems;
    std::vector<Study> studies;
    for (const Found& found : find_studies(paths, unreadable)) {
        try {
            studies.push_back(read(found, options));
        } catch (const core::UserError& error) {
            problems.add(error);
        } catch (const core::MissingError& error) {
            unreadable.push_back(found.file + ": " + error.what());
        } catch (const std::length_error&) {
            throw;  // not enough memory
        } catch (const std::logic_error& error) {
            core::Place place;
            place.file = found.file;
            problems.add(place, std::string("an error inside farfield: ") + error.what(), "", "Please report it.");
        }
    }
    check_ids(studies, problems);
    if (problems.empty() && unreadable.empty()) check_only(studies, options.only, problems);
    if (problems.empty() && unreadable.empty() && options.claims_only && !options.only.empty())
        check_has_claims(studies, options.only, problems);
    problems.raise();
    return studies;
}

}  // namespace farfield::study
