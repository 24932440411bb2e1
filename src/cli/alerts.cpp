#include "cli/alerts.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <set>
#include <utility>

#include "cli/error_families.hpp"
#include "cli/output.hpp"

namespace farfield::cli {

namespace {

/// Escapes a text for a workflow command of GitHub; in a property, commas and colons are escaped too.
std::string workflow_text(std::string_view text, bool is_property) {
    std::string result;
    for (const char c : text) {
        const bool is_special = c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        result += is_special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
    }
    return result;
}

std::string message_of(const core::Diagnostic& problem) {
    std::string text = problem.found;
    if (!problem.wanted.empty()) text += "; expected " + problem.wanted;
    return problem.hint.empty() ? text : text + "\n" + problem.hint;
}

}  // namespace

void annotate(core::Place place, const std::string& file, std::string_view level, std::string_view message) {
    const char* workflow = std::getenv("GITHUB_ACTIONS");
    if (workflow == nullptr || std::string_view(workflow) != "true") return;
    if (place.file.empty()) place.file = file;
    std::string where = place.file.empty() ? "" : " file=" + workflow_text(place.file, true);
    if (place.known()) where += fmt::format(",line={}", place.line);
    print_error("::{}{}::{}\n", level, where, workflow_text(message, false));
}

void annotate(const std::vector<report::Alert>& alerts) {
    for (const report::Alert& alert : alerts) annotate(alert.place, "", alert.level, alert.message);
}

std::vector<report::Alert> alerts_of(const std::vector<core::Diagnostic>& problems, const std::string& file) {
    std::vector<report::Alert> alerts;
    for (const core::Diagnostic& problem : problems) {
        const ErrorFamily* family = find_error(problem.found);
        report::Alert alert{"invalid-study", "", "error", message_of(problem), problem.place};
        if (family != nullptr) {
            alert.rule = family->id;
            alert.meaning = family->meaning;
        }
        if (alert.place.file.empty()) alert.place.file = file;
        alerts.push_back(std::move(alert));
    }
    return alerts;
}

std::vector<report::Alert> alerts_of(const std::vector<core::StudyRecord>& records) {
    std::vector<report::Alert> alerts;
    for (const core::StudyRecord& record : records) {
        std::set<std::string> known;
        for (const core::FailureRecord& failure : record.failed) {
            if (!known.insert(failure.text()).second) continue;
            for (report::Alert& alert : alerts_of(failure.diagnostics, record.file)) alerts.push_back(std::move(alert));
        }
    }
    for (report::Alert& alert : report::alerts_of(records)) alerts.push_back(std::move(alert));
    return alerts;
}

}  // namespace farfield::cli
