#include <farfield/report/report.hpp>

#include "report/summary.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

/// A text inside a cell of a table, with the syntax of Markdown and HTML escaped.
std::string cell(std::string_view text) {
    std::string result;
    for (const char c : valid_text(text)) {
        switch (c) {
            case '\n': result += ' '; break;
            case '&': result += "&amp;"; break;
            case '<': result += "&lt;"; break;
            case '|':
            case '\\':
            case '`':
            case '*':
            case '_':
            case '[':
            case ']': result += '\\'; [[fallthrough]];
            default: result += c;
        }
    }
    return result;
}

std::string verdict_cell(const core::ClaimRecord& claim) {
    const std::string found(core::verdict_name(claim.verdict));
    return !claim.fails() ? found : "**" + found + "**";
}

std::string numbers(const core::ClaimRecord& claim) {
    std::string text;
    for (const core::ReadingRecord& reading : claim.readings) {
        text +=
            (text.empty() ? "" : "<br>") + cell(reading.name) + ": " + std::string(core::verdict_name(reading.verdict));
        if (!reading.explain.empty()) text += " (" + cell(reading.explain) + ")";
    }
    return text;
}

std::string markdown_table(const core::StudyRecord& study) {
    std::string text = "### " + cell(study.title.empty() ? study.study : study.title) + "\n\n`" + study.file + "`\n\n";
    text += "| claim | it says | verdict | on record | certified | readings |\n| --- | --- | --- | --- | --- | --- |\n";
    for (const core::ClaimRecord& claim : study.claims) {
        const std::string expected = claim.expected ? std::string(core::verdict_name(*claim.expected)) : "none";
        text += "| " + cell(claim.id) + " | " + cell(claim.says) + " | " + verdict_cell(claim) + " | " + expected +
                " | " +
                (claim.certified            ? "yes"
                 : claim.is_by_definition() ? "by definition"
                                            : "no") +
                " | " + numbers(claim) + " |\n";
    }
    return text + "\n";
}

/// The problems of the studies themselves.
std::string problems_table(std::span<const Alert> problems) {
    std::string text = "## Problems\n\nNothing was run.\n\n| place | problem |\n| --- | --- |\n";
    for (const Alert& problem : problems) {
        const core::Place& place = problem.place;
        text += "| " + cell(place.file) + (place.known() ? ":" + std::to_string(place.line) : "") + " | " +
                cell(problem.message) + " |\n";
    }
    return text + "\n";
}

}  // namespace

std::string markdown(std::span<const core::StudyRecord> studies, std::span<const Alert> problems) {
    if (!problems.empty()) return problems_table(problems);
    Summary total;
    std::string tables;
    for (const core::StudyRecord& study : studies) {
        total = total + summarise(study.claims);
        if (!study.claims.empty()) tables += markdown_table(study);
    }
    return "## Verdicts\n\n" + text_of(total) + ".\n\n" + tables;
}

}  // namespace farfield::report
