// The parts that a study's page and the page over many studies share.
#pragma once

#include <farfield/core/record.hpp>
#include <farfield/core/table.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::report {

/// A whole document: style inside, nothing from the network (its policy forbids it). `script` may be empty.
std::string html_page(std::string_view title, std::string_view body, std::string_view script = {});

/// <name ATTRIBUTES>content</name>; content is HTML already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = {});

/// <tr> of header cells, and of cells that hold HTML.
std::string header_row(std::initializer_list<std::string_view> names);
std::string row(std::initializer_list<std::string> cells);

/// A table that scrolls by itself when the window is narrow; of the class "index", its rows become blocks instead.
std::string table(std::string_view caption, std::string_view head, std::string_view rows,
                  std::string_view attributes = {});

/// What is folded until its summary is clicked.
std::string folded(std::string_view summary, std::string_view content, std::string_view attributes = {});

/// Named numbers in columns, aligned at their points; many of them folded. Empty if there are none.
std::string number_columns(const core::Result& quantity, int digits);

/// An inlined SVG, which scrolls by itself when the window is narrow.
std::string picture(std::string_view svg);

/// A verdict as word and sign, coloured beside.
std::string verdict_badge(core::Verdict verdict);

/// "certified", "by definition" or "not certified", with what that means for those who hover or listen.
std::string certainty_mark(bool certified, bool by_definition);
/// The same of a claim, and "sensitive" where it is.
std::string certainty_mark(const core::ClaimRecord& claim);

/// The id of a claim's place in a page.
std::string claim_anchor(const core::ClaimRecord& claim);

/// A claim's verdict in sentences: what it means, how certain it is, what each counted reading found.
std::string in_sentences(const core::ClaimRecord& claim);

/// A claim, folded under its id, verdict and words: the verdict in sentences, readings with their numbers, the
/// quantities it rests on, and the command that finds it again. `extra` is more HTML for its list of facts.
std::string claim_section(const core::ClaimRecord& claim, const core::StudyRecord& study, std::string_view extra = {});

/// The SVG of a figure in that folder, as it stands inside a page; empty if there is none.
std::string figure_svg(const core::FigureRecord& figure, const std::string& folder);

/// What the SVG's attribute viewBox says.
std::string view_box(const std::string& svg);

/// Every figure of the study whose SVG is in `folder`, inlined, with a link to the study in the page for browsers.
std::string figure_sections(const core::StudyRecord& study, const std::string& folder,
                            const std::string& playground = "");

/// JavaScript for pages with folded parts: opens them where a link leads, and all claims on paper.
std::string_view folding_script();

/// The id of a figure's place in a page.
std::string figure_anchor(const core::StudyRecord& study, const std::string& figure);

/// The names of the study's figures that show a quantity which the claim mentions.
std::vector<std::string> figures_of(const core::ClaimRecord& claim, const core::StudyRecord& study);

/// The command that finds one claim's verdict again.
std::string reproduce_command(const core::StudyRecord& study, const std::string& claim);

}  // namespace farfield::report
