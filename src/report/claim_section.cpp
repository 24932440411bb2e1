#include <algorithm>

#include "report/html.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

std::string code(std::string_view text) {
    return element("code", escaped(text));
}

std::string reading_name(const core::ReadingRecord& reading) {
    std::string text = escaped(reading.name);
    if (reading.extra) text += " <span class=\"soft\">(extra: shown, not counted)</span>";
    if (!reading.because.empty()) text += "<br><span class=\"soft\">" + escaped(reading.because) + "</span>";
    for (const core::BreakEven& threshold : reading.break_even)
        text += "<br><span class=\"soft\">" + escaped(reading.text_of(threshold)) +
                (threshold.sensitive ? " (sensitive)" : "") + "</span>";
    return text;
}

std::string expectation(const std::optional<core::Verdict>& expected, core::Verdict found) {
    if (!expected || *expected == found || found == core::Verdict::missing || found == core::Verdict::skipped)
        return "";
    return " <span class=\"unexpected\">on record: " + std::string(core::verdict_name(*expected)) + "</span>";
}

std::string readings_table(const core::ClaimRecord& claim) {
    std::string rows;
    for (const core::ReadingRecord& reading : claim.readings) {
        rows +=
            row({reading_name(reading), verdict_badge(reading.verdict) + expectation(reading.expected, reading.verdict),
                 core::is_verdict(reading.verdict) ? certainty_mark(reading.certified, reading.by_definition) : "",
                 code(reading.holds), escaped(reading.explain)});
    }
    return table("", header_row({"Reading", "Verdict", "Certainty", "Holds if", "Numbers"}), rows, "class=\"index\"");
}

std::string fact(std::string_view name, std::string_view html) {
    return element("dt", name) + element("dd", html) + "\n";
}

std::string shell_word(const std::string& text) {
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("-_./=+,").find(c) != std::string_view::npos;
    });
    if (plain && !text.empty()) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
    return quoted + "'";
}

std::string certainty_sentence(const core::ClaimRecord& claim) {
    if (!core::is_verdict(claim.verdict)) return "";
    if (claim.certified) return " It is certified: each number behind it is exact or has a proven enclosure.";
    if (claim.is_by_definition()) return " It follows from numbers that the study states itself; nothing was computed.";
    if (!claim.scale.empty()) return " It was measured on models of " + claim.scale + ".";
    return " It rests on floating-point numbers without a proven error bound.";
}

}  // namespace

std::string in_sentences(const core::ClaimRecord& claim) {
    std::string text(core::verdict_meaning(claim.verdict));
    text += certainty_sentence(claim);
    const std::string change = claim.would_change();
    if (claim.is_sensitive()) text += " A small change of a threshold would change the verdict.";
    if (!change.empty()) text += " What would change it: " + change;
    return text;
}

std::string claim_anchor(const std::string& id) {
    return "claim-" + fragment(id);
}

std::string reproduce_command(const core::StudyRecord& study, const std::string& claim) {
    return "./farfield check " + shell_word(study.file) + " --only " + shell_word(claim);
}

std::vector<std::string> figures_of(const core::ClaimRecord& claim, const core::StudyRecord& study) {
    std::vector<std::string> names;
    for (const core::FigureRecord& figure : study.figures) {
        const std::vector<std::string> series = figure_series(figure);
        const bool shows = std::any_of(series.begin(), series.end(), [&](const std::string& name) {
            return std::find(claim.uses.begin(), claim.uses.end(), name) != claim.uses.end();
        });
        if (shows) names.push_back(figure.name);
    }
    return names;
}

std::string claim_section(const core::ClaimRecord& claim, const core::StudyRecord& study, std::string_view extra) {
    const std::string summary =
        element("h3", escaped(claim.id)) + verdict_badge(claim.verdict) +
        (claim.scale.empty() ? certainty_mark(claim) : element("span", escaped(claim.scale), "class=\"mark soft\"")) +
        expectation(claim.expected, claim.verdict) + element("span", escaped(claim.says), "class=\"says\"");
    std::string text = element("p", escaped(in_sentences(claim)));
    if (!claim.comment.empty()) text += element("p", escaped(claim.comment), "class=\"soft\"");
    text += "\n" + readings_table(claim);
    std::string facts = fact("Source", escaped(claim.source.empty() ? study.source : claim.source));
    for (const std::string& name : claim.uses) {
        const auto used = std::find_if(study.quantities.begin(), study.quantities.end(),
                                       [&](const core::Result& quantity) { return quantity.name == name; });
        if (used != study.quantities.end() && !used->values.empty())
            facts += fact(code(name), number_columns(*used, 8));
    }
    facts += extra;
    const std::string line = claim.place.known() ? ", line " + std::to_string(claim.place.line) : "";
    facts += fact("Study", code(study.file) + line);
    facts += fact("Reproduce", code(reproduce_command(study, claim.id)));
    return folded(summary, text + element("dl", facts, "class=\"facts\""));
}

}  // namespace farfield::report
