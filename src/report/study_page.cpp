#include <farfield/core/input_file.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>

#include "report/html.hpp"
#include "report/playground.hpp"
#include "report/series_file.hpp"
#include "report/summary.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"
#include "report/written_files.hpp"

namespace farfield::report {
namespace {

std::string text_link(const std::string& target, std::string_view text) {
    return element("a", escaped(text), "href=\"" + escaped(target) + "\"");
}

std::string paragraph(const std::string& link) {
    return link.empty() ? "" : element("p", link);
}

std::string head(const core::StudyRecord& study, const std::string& playground, const Undrawn& undrawn) {
    std::string text = element("h1", escaped(study.title.empty() ? study.study : study.title)) + "\n";
    text += paragraph(playground_link(playground, "", ""));
    if (!study.source.empty()) text += element("p", "Source: " + escaped(study.source), "class=\"soft\"");
    if (!study.doc.empty()) text += element("p", escaped(study.doc));
    return text + incidents(study, undrawn);
}

}  // namespace

std::string incidents(const core::StudyRecord& study, const Undrawn& undrawn) {
    std::string text;
    const auto add = [&](const std::string& sentence) {
        text += element("p", escaped(sentence), "class=\"unexpected\"");
    };
    if (study.interrupted) add("The run was interrupted: what is not here was not computed.");
    for (const auto& [key, value] : study.manifest)
        if (key == "only") add("The run computed only a part of the study: --only " + value + ".");
    for (const auto* list : {&study.missing, &undrawn.missing})
        for (const auto& [name, why] : *list) add(name + " is missing: " + why);
    for (const auto* list : {&study.failed, &undrawn.failed})
        for (const core::FailureRecord& failure : *list) add(failure.name + " failed: " + failure.text());
    for (const std::string& warning : study.warnings) text += element("p", "Warning: " + escaped(warning));
    return text;
}

namespace {

std::string verdict_table(const core::StudyRecord& study) {
    if (study.claims.empty()) return "";
    std::string rows;
    for (const core::ClaimRecord& claim : study.claims) {
        const std::string expected = claim.expected ? std::string(core::verdict_name(*claim.expected)) : "none";
        rows +=
            row({text_link("#" + claim_anchor(claim.id), claim.id), escaped(claim.says), verdict_badge(claim.verdict),
                 !claim.fails() ? expected : element("span", expected, "class=\"unexpected\""), certainty_mark(claim)});
    }
    return element("h2", "Verdicts", "id=\"verdicts\"") +
           table(text_of(summarise(study.claims)),
                 header_row({"Claim", "It says", "Verdict", "On record", "Certainty"}), rows, "class=\"index record\"");
}

std::string claims(const core::StudyRecord& study, const std::string& playground) {
    if (study.claims.empty()) return "";
    std::string text = element("h2", "Claims", "id=\"claims\"") + "\n";
    for (const core::ClaimRecord& claim : study.claims) {
        const std::string link = playground_link(playground, "claim", claim.id);
        const std::string fact = link.empty() ? "" : element("dt", "Try") + element("dd", link) + "\n";
        text += element("article", claim_section(claim, study, fact),
                        "class=\"claim\" id=\"" + escaped(claim_anchor(claim.id)) + "\"") +
                "\n";
    }
    return text;
}

std::string quantity_row(const core::Result& quantity) {
    const std::string values = number_columns(quantity, 10);
    std::string notes;
    for (const auto& [key, text] : quantity.notes)
        notes += (notes.empty() ? "" : "<br>") + element("span", escaped(key + ": " + text), "class=\"soft\"");
    std::string series;
    if (quantity.series) {
        const std::string file = series_file(quantity);
        series = text_link(url(file), file) + "<br><span class=\"soft\">" + std::to_string(quantity.series->rows()) +
                 " rows</span>";
    }
    return row({element("code", escaped(quantity.name)), escaped(quantity.kind), values + notes, series,
                escaped(short_number(quantity.seconds, 3)) + "&nbsp;s"});
}

std::string quantities(const core::StudyRecord& study) {
    if (study.quantities.empty()) return "";
    std::string rows;
    for (const core::Result& quantity : study.quantities) rows += quantity_row(quantity);
    return element("h2", "Quantities", "id=\"quantities\"") +
           table("", header_row({"Name", "Kind", "Values", "Series", "Time"}), rows);
}

std::string formulas(const core::StudyRecord& study) {
    if (study.formulas.empty()) return "";
    std::string rows;
    for (const core::FormulaRecord& formula : study.formulas) {
        rows += row({element("code", escaped(formula.where)), formula.mathml, element("code", escaped(formula.text))});
    }
    return element("h2", "Formulas", "id=\"formulas\"") +
           table("", header_row({"Where", "Formula", "As written"}), rows);
}

std::string provenance(const core::StudyRecord& study) {
    std::string rows = row({"study", element("code", escaped(study.file))}) + row({"device", escaped(study.device)}) +
                       row({"seconds", escaped(short_number(study.seconds, 3))});
    for (const auto& [key, text] : study.manifest) rows += row({escaped(key), element("code", escaped(text))});
    rows += row({"results", text_link("results.json", "results.json")});
    return element("h2", "Provenance", "id=\"provenance\"") + table("", header_row({"What", "Which"}), rows);
}

}  // namespace

std::string figure_anchor(const core::StudyRecord& study, const std::string& figure) {
    return "figure-" + fragment(study.study + "/" + figure);
}

std::string figure_svg(const core::FigureRecord& figure, const std::string& folder) {
    return inline_svg(content_of(folder + "/" + file_stem(figure.name) + ".svg"));
}

std::string view_box(const std::string& svg) {
    constexpr std::string_view key = "viewBox=\"";
    const std::size_t start = svg.find(key);
    if (start == std::string::npos) return "";
    const std::size_t end = svg.find('"', start + key.size());
    return end == std::string::npos ? "" : svg.substr(start + key.size(), end - start - key.size());
}

std::string figure_sections(const core::StudyRecord& study, const std::string& folder, const std::string& playground) {
    std::string text;
    for (const core::FigureRecord& figure : study.figures) {
        std::string svg = figure_svg(figure, folder);
        if (svg.empty()) continue;
        svg = with_study(std::move(svg), figure.name, study.study);
        // It has an id, so that a small picture can refer to it.
        svg.insert(4, " id=\"" + escaped(figure_anchor(study, figure.name)) + "-svg\"");
        std::string series;
        for (const std::string& name : figure_series(figure)) series += (series.empty() ? "" : ", ") + name;
        const std::string link = playground_link(playground, "figure", figure.name);
        const std::string caption = escaped(figure.name + ", drawn from " + series) + (link.empty() ? "" : ". " + link);
        text += element("figure", picture(svg) + element("figcaption", caption),
                        "id=\"" + escaped(figure_anchor(study, figure.name)) + "\"") +
                "\n";
    }
    return text;
}

std::string study_page(const core::StudyRecord& study, const std::string& folder, const std::string& playground) {
    return page_of(study, folder, playground, {});
}

std::string page_of(const core::StudyRecord& study, const std::string& folder, const std::string& playground,
                    const Undrawn& undrawn) {
    const std::string figures = folder.empty() ? "" : figure_sections(study, folder, playground);
    std::string body = "<main>\n" + head(study, playground, undrawn) + verdict_table(study);
    if (!figures.empty()) body += element("h2", "Figures", "id=\"figures\"") + "\n" + figures;
    body += claims(study, playground) + quantities(study) + formulas(study) + provenance(study) + "</main>";
    return html_page(study.title.empty() ? study.study : study.title, body, folding_script());
}

}  // namespace farfield::report
