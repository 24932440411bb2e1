#include <algorithm>
#include <array>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/report/report.hpp>
#include <farfield/report/summary_page.hpp>
#include <filesystem>
#include <map>
#include <optional>

#include "report/html.hpp"
#include "report/playground.hpp"
#include "report/summary.hpp"
#include "report/summary_script.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

namespace fs = std::filesystem;

constexpr std::array<core::Verdict, core::verdict_count> verdicts = {
    core::Verdict::confirmed,    core::Verdict::consistent, core::Verdict::refuted,        core::Verdict::depends,
    core::Verdict::undecided,    core::Verdict::reproduced, core::Verdict::not_reproduced, core::Verdict::mixed,
    core::Verdict::inconclusive, core::Verdict::missing,    core::Verdict::skipped};

using Results = std::span<const StudyResults>;

std::string attribute(std::string_view name, std::string_view value) {
    return std::string(name) + "=\"" + escaped(value) + "\"";
}

std::string link(const std::string& target, std::string_view html) {
    return element("a", html, attribute("href", target));
}

std::size_t count_if(Results results, const auto& condition) {
    std::size_t count = 0;
    for (const StudyResults& result : results) {
        count +=
            static_cast<std::size_t>(std::count_if(result.study.claims.begin(), result.study.claims.end(), condition));
    }
    return count;
}

/// A number of the matrix, linked to the claims it counts.
std::string count_cell(std::size_t count, const std::string& filter) {
    const std::string text = std::to_string(count);
    return element("td", count == 0 ? text : link("#show?" + filter, text), "class=\"count\"");
}

std::string certainty_of(const core::ClaimRecord& claim) {
    return claim.certified ? "yes" : claim.is_by_definition() ? "definition" : "no";
}

/// The verdicts that occur.
std::vector<core::Verdict> found_verdicts(Results results) {
    std::vector<core::Verdict> found;
    for (const core::Verdict verdict : verdicts)
        if (count_if(results, [&](const core::ClaimRecord& claim) { return claim.verdict == verdict; }) > 0)
            found.push_back(verdict);
    return found;
}

/// One row of the matrix: the claims with a verdict, or all, by certainty.
std::string matrix_row(Results results, std::string_view name, std::optional<core::Verdict> verdict) {
    std::string asked(verdict ? core::verdict_name(*verdict) : "");
    std::replace(asked.begin(), asked.end(), ' ', '+');
    std::string cells = element("th", name, "scope=\"row\"");
    for (const std::string certainty : {"yes", "definition", "no", ""}) {
        const std::size_t count = count_if(results, [&](const core::ClaimRecord& claim) {
            return (!verdict || claim.verdict == *verdict) && (certainty.empty() || certainty_of(claim) == certainty);
        });
        cells += count_cell(count, "verdict=" + asked + (certainty.empty() ? "" : "&certified=" + certainty));
    }
    return element("tr", cells) + "\n";
}

std::string matrix(Results results) {
    std::string head = element("td", "");
    for (const char* certainty : {"certified", "by definition", "not certified", "all"})
        head += element("th", certainty, "scope=\"col\" class=\"count\"");
    std::string rows;
    for (const core::Verdict verdict : found_verdicts(results))
        rows += matrix_row(results, verdict_badge(verdict), verdict);
    return table("Claims by verdict. Each number leads to its claims.", element("tr", head),
                 rows + matrix_row(results, "all", std::nullopt), "class=\"matrix\"");
}

std::string checkbox(std::string_view name, std::string_view value, std::string_view html) {
    return element("label", "<input type=\"checkbox\" " + attribute("name", name) + " " + attribute("value", value) +
                                "> " + std::string(html)) +
           "\n";
}

std::string option(std::string_view value, std::string_view text) {
    return element("option", escaped(text), attribute("value", value));
}

std::string field(std::string_view name, std::string_view control) {
    return element("label", std::string(name) + std::string(control), "class=\"field\"") + "\n";
}

std::string filters(Results results) {
    std::string boxes = element("legend", "Verdict (none ticked: all)");
    for (const core::Verdict verdict : verdicts)
        boxes += checkbox("verdict", core::verdict_name(verdict), verdict_badge(verdict));
    std::string studies = option("", "all studies");
    for (const StudyResults& result : results) studies += option(result.study.study, result.study.study);
    const std::string head =
        element("summary", "Filter the claims <span id=\"shown\" role=\"status\" aria-live=\"polite\"></span>");
    std::string form = element("fieldset", boxes);
    form += field("Certainty", element("select",
                                       option("", "any") + option("yes", "certified") +
                                           option("definition", "by definition") + option("no", "not certified"),
                                       "name=\"certified\""));
    form += field("Study", element("select", studies, "name=\"study\""));
    form += field("Words", "<input type=\"search\" name=\"find\" autocomplete=\"off\">");
    form += checkbox("record", "differs", "differs from the verdict on record");
    form += "<button type=\"reset\">Show all</button>\n";
    const std::string folded = element("details", head + element("div", form, "class=\"controls\""), "open");
    return element("form", folded, "id=\"filters\" class=\"filters\" aria-label=\"Filter the claims\" hidden") + "\n";
}

/// The names of claims in the page: their ids, with the study's name before an id that several studies have.
class Names {
public:
    explicit Names(Results results) {
        for (const StudyResults& result : results)
            for (const core::ClaimRecord& claim : result.study.claims) ++count_[claim.id];
    }

    std::string of(const core::ClaimRecord& claim, const core::StudyRecord& study) const {
        return count_.at(claim.id) == 1 ? claim.id : study.study + "/" + claim.id;
    }

private:
    std::map<std::string, std::size_t> count_;
};

/// The data attributes of a claim that the filters use.
std::string claim_data(const core::ClaimRecord& claim, const core::StudyRecord& study, const Names& names) {
    return attribute("data-claim", names.of(claim, study)) + " " +
           attribute("data-verdict", core::verdict_name(claim.verdict)) + " " +
           attribute("data-certified", certainty_of(claim)) + " " + attribute("data-study", study.study) + " " +
           attribute("data-record", claim.as_expected() ? "agrees" : "differs");
}

std::string index_table(Results results, const Names& names) {
    std::string rows;
    for (const StudyResults& result : results) {
        for (const core::ClaimRecord& claim : result.study.claims) {
            const std::string cells =
                element("td", link("#" + claim_anchor(names.of(claim, result.study)), escaped(claim.id))) +
                element("td", escaped(claim.says)) + element("td", verdict_badge(claim.verdict)) +
                element("td", certainty_mark(claim)) + element("td", escaped(claim.source));
            rows += element("tr", cells, claim_data(claim, result.study, names)) + "\n";
        }
    }
    return table("", header_row({"Claim", "It says", "Verdict", "Certainty", "Source"}), rows, "class=\"index\"");
}

std::string figure_links(const core::ClaimRecord& claim, const core::StudyRecord& study) {
    std::string links;
    for (const std::string& name : figures_of(claim, study)) {
        links += (links.empty() ? "" : ", ") + link("#" + figure_anchor(study, name), escaped(name));
    }
    return links.empty() ? "" : element("dt", "Figure") + element("dd", links) + "\n";
}

std::string study_section(const StudyResults& result, const std::string& directory, const Names& names) {
    const core::StudyRecord& study = result.study;
    std::string text = element("h2", escaped(study.title.empty() ? study.study : study.title)) + "\n";
    const std::string folder = result.folder.empty() ? "" : url(result.folder) + "/";
    text += element("p",
                    (study.source.empty() ? "" : "Source: " + escaped(study.source) + ". ") +
                        "Study: " + element("code", escaped(study.file)) + ". " +
                        link(folder + "report.html", "Page of the study") + ", " +
                        link(folder + "results.json", "numbers") +
                        (result.playground.empty() ? "" : ", " + playground_link(result.playground, "", "")) + ".",
                    "class=\"soft\"") +
            "\n";
    text += incidents(study) + figure_sections(study, directory + "/" + result.folder);
    for (const core::ClaimRecord& claim : study.claims) {
        text += element("article", claim_section(claim, study, figure_links(claim, study)),
                        "class=\"claim\" " + attribute("id", claim_anchor(names.of(claim, study))) + " " +
                            claim_data(claim, study, names)) +
                "\n";
    }
    return element("section", text, attribute("data-study", study.study)) + "\n";
}

/// The folder of a study's results, or the study's name. In most cases this is a paper.
std::string paper_of(const StudyResults& result) {
    const std::string path = result.folder.empty() ? result.study.study : result.folder;
    return path.substr(0, path.find('/'));
}

/// What the studies of a folder check: the work that their sources have in common, else the folder. In a source,
/// sections, remarks and further works follow it.
std::string paper_name(Results results, const std::string& folder) {
    std::optional<std::string> name;
    for (const StudyResults& result : results) {
        if (paper_of(result) != folder || result.study.source.empty()) continue;
        const std::string& source = result.study.source;
        const std::string work = source.substr(0, std::min({source.find(','), source.find(';'), source.find(" (")}));
        if (name && *name != work) return folder;
        name = work;
    }
    return name.value_or(folder);
}

/// The part of a bar for the claims with this verdict.
std::string bar_part(core::Verdict verdict, std::size_t count) {
    std::string style(core::verdict_name(verdict));
    std::replace(style.begin(), style.end(), ' ', '-');
    return element("span", "", attribute("class", style) + " style=\"flex:" + std::to_string(count) + "\"");
}

std::string bar(const std::array<std::size_t, core::verdict_count>& counts) {
    std::string parts;
    for (const core::Verdict verdict : verdicts)
        if (const std::size_t count = counts[static_cast<std::size_t>(verdict)]; count > 0)
            parts += bar_part(verdict, count);
    return element("div", parts, "class=\"bar\" aria-hidden=\"true\"");
}

/// The numbers of a bar as text, each with the colour of its part.
std::string bar_text(const std::array<std::size_t, core::verdict_count>& counts) {
    std::string text;
    for (const core::Verdict verdict : verdicts) {
        const std::size_t count = counts[static_cast<std::size_t>(verdict)];
        if (count == 0) continue;
        const std::string key = element("span", bar_part(verdict, 1), "class=\"bar key\" aria-hidden=\"true\"");
        text += (text.empty() ? "" : ", ") +
                element("span", key + std::to_string(count) + " " + std::string(core::verdict_name(verdict)),
                        "class=\"verdicts\"");
    }
    return text;
}

/// One row for each paper: a bar of its verdicts, and their numbers as text.
std::string papers(Results results) {
    std::vector<std::string> names;
    std::map<std::string, std::array<std::size_t, core::verdict_count>> counts;
    for (const StudyResults& result : results) {
        if (result.study.claims.empty()) continue;
        const auto [found, is_new] = counts.try_emplace(paper_of(result));
        if (is_new) names.push_back(found->first);
        for (const core::ClaimRecord& claim : result.study.claims)
            ++found->second[static_cast<std::size_t>(claim.verdict)];
    }
    std::string rows;
    for (const std::string& name : names)
        rows += row({escaped(paper_name(results, name)), bar(counts[name]), bar_text(counts[name])});
    return rows.empty() ? ""
                        : element("h2", "Verdicts by paper", "id=\"papers\"") +
                              table("", header_row({"Paper", "Share", "Claims"}), rows, "class=\"index papers\"");
}

/// Small pictures of all figures, which link to the large ones and reuse their drawing.
std::string thumbnails(Results results, const std::string& directory) {
    std::string links;
    std::size_t count = 0;
    for (const StudyResults& result : results) {
        for (const core::FigureRecord& figure : result.study.figures) {
            const std::string anchor = figure_anchor(result.study, figure.name);
            const std::string svg = figure_svg(figure, directory + "/" + result.folder);
            const std::string box = view_box(svg);
            if (box.empty()) continue;
            // In dark mode, the colours of a heat map are not inverted.
            const bool is_heat_map = svg.find("<image") != std::string::npos;
            const std::string picture = element(
                "svg", element("use", "", attribute("href", "#" + anchor + "-svg")),
                attribute("viewBox", box) + (is_heat_map ? " class=\"own-colours\"" : "") + " aria-hidden=\"true\"");
            links += link("#" + anchor, picture + escaped(figure.title.empty() ? figure.name : figure.title)) + "\n";
            ++count;
        }
    }
    if (links.empty()) return "";
    return element("h2", "Figures", "id=\"figures\"") + "<details open>" +
           element("summary", std::to_string(count) + (count == 1 ? " figure" : " figures")) +
           element("div", links, "class=\"thumbs\"") + "</details>\n";
}

std::string introduction(Results results) {
    const std::size_t claims = count_if(results, [](const core::ClaimRecord&) { return true; });
    const std::size_t differing =
        count_if(results, [](const core::ClaimRecord& claim) { return !claim.as_expected(); });
    std::string text = std::to_string(claims) + (claims == 1 ? " claim in " : " claims in ") +
                       std::to_string(results.size()) + (results.size() == 1 ? " study" : " studies");
    const std::size_t unstated = count_if(results, [](const core::ClaimRecord& claim) { return claim.is_unstated(); });
    if (unstated > 0) text += "; " + std::to_string(unstated) + " without an expected verdict";
    if (differing > 0)
        text += "; " + element("span", std::to_string(differing) + " differ from the verdict on record",
                               "class=\"unexpected\"");
    return element("h1", "Claims and their verdicts") + element("p", text + ".") +
           element(
               "p",
               "A claim has one or more readings, each with a condition on the numbers of its study. It is confirmed "
               "if "
               "all counted readings hold, and refuted if none holds. It depends if some hold and others fail. It is "
               "consistent if its condition follows from the claim but not the claim from the condition, and undecided "
               "otherwise. Claims about small trained models have verdicts of their own: reproduced, not reproduced, "
               "mixed and inconclusive. A missing claim needs something that the machine lacks, and a skipped claim "
               "was "
               "not asked for. Certified means: decided by exact or interval arithmetic, by printed rounding intervals "
               "or "
               "by enumeration of all cases. By definition means: decided by numbers typed into the condition, or by "
               "an "
               "expression compared with itself. Sensitive means: the verdict of a reading changes within a quarter of "
               "a "
               "threshold that the source does not give.",
               "class=\"soft\"");
}

/// The folders under `directory` that have a results.json.
std::vector<fs::path> result_folders(const fs::path& directory) {
    std::vector<fs::path> folders;
    std::error_code failure;
    for (fs::recursive_directory_iterator at(directory, failure), end; !failure && at != end; at.increment(failure)) {
        if (at->path().filename() == "results.json") folders.push_back(at->path().parent_path());
    }
    if (failure && failure != std::errc::no_such_file_or_directory && failure != std::errc::not_a_directory)
        throw core::MissingError("reading '" + directory.string() + "'", failure.message(), "");
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

std::vector<StudyResults> read_all_results(const std::string& directory) {
    core::Problems problems;
    std::vector<StudyResults> results;
    for (const fs::path& folder : result_folders(directory)) {
        try {
            const fs::path relative = folder.lexically_relative(directory);
            results.push_back(
                {read_results((folder / "results.json").string()), relative == "." ? "" : relative.string()});
        } catch (const core::UserError& error) {
            problems.add(error);
        }
    }
    if (results.empty() && problems.empty()) {
        problems.add({}, "there is no results.json under '" + directory + "'", "a folder that farfield run has written",
                     "");
    }
    problems.raise();
    return results;
}

std::string summary_page(std::span<const StudyResults> results, const std::string& directory) {
    // Studies that were run one by one may have one name; their folders differ.
    std::vector<StudyResults> distinct(results.begin(), results.end());
    for (StudyResults& result : distinct)
        if (!result.folder.empty()) result.study.study = result.folder;
    const Names names(distinct);
    std::string body =
        "<a class=\"skip\" href=\"#claims\">Skip to the claims</a>\n<main>\n" + introduction(distinct) + "\n";
    body += matrix(distinct) + papers(distinct) + thumbnails(distinct, directory);
    body += element("h2", "Claims", "id=\"claims\"") + "\n" + filters(distinct) + index_table(distinct, names);
    for (const StudyResults& result : distinct) body += study_section(result, directory, names);
    return html_page("Verdicts", body + "</main>", std::string(summary_script()) + std::string(folding_script()));
}

}  // namespace farfield::report
