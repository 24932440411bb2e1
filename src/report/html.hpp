// Common parts of a study's page and the page over many studies.
#pragma once

#include <farfield/core/record.hpp>
#include <farfield/core/table.hpp>
#include <farfield/report/report.hpp>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::report {

/// A whole document with embedded style. It uses nothing from the network, which its policy forbids. `script` may be
/// empty.
std::string html_page(std::string_view title, std::string_view body, std::string_view script = {});

/// <name ATTRIBUTES>content</name>; content is HTML already.
std::string element(std::string_view name, std::string_view content, std::string_view attributes = {});

/// <tr> of header cells, and of cells that contain HTML.
std::string header_row(std::initializer_list<std::string_view> names);
std::string row(std::initializer_list<std::string> cells);

/// A table that scrolls by itself if the window is narrow; with the class "index", its rows become blocks instead.
std::string table(std::string_view caption, std::string_view head, std::string_view rows,
                  std::string_view attributes = {});

/// Content that is folded until its summary is clicked.
std::string folded(std::string_view summary, std::string_view content, std::string_view attributes = {});

/// Named numbers in columns, aligned at their points, and folded if there are many. Empty if there are none.
std::string number_columns(const core::Result& quantity, int digits);

/// An inlined SVG, which scrolls by itself if the window is narrow.
std::string picture(std::string_view svg);

/// A verdict as a coloured word and sign.
std::string verdict_badge(core::Verdict verdict);

/// "certified", "by definition" or "not certified", with an explanation for pointers and screen readers.
std::string certainty_mark(bool certified, bool by_definition);
/// The same for a claim, and "sensitive" if it is; empty for a claim without a verdict.
std::string certainty_mark(const core::ClaimRecord& claim);

/// The id of the place in a page of the claim with this id.
std::string claim_anchor(const std::string& id);

/// A claim's verdict in sentences: its meaning, its certainty, and the result of each counted reading.
std::string in_sentences(const core::ClaimRecord& claim);

/// A claim, folded under its id, verdict and text: the verdict in sentences, readings with their numbers, the
/// quantities on which it rests, and the command that reproduces it. `extra` is more HTML for its list of facts.
std::string claim_section(const core::ClaimRecord& claim, const core::StudyRecord& study, std::string_view extra = {});

/// The SVG of a figure in that folder, for embedding into a page; empty if there is none.
std::string figure_svg(const core::FigureRecord& figure, const std::string& folder);

/// The value of the SVG's attribute viewBox.
std::string view_box(const std::string& svg);

/// Every figure of the study whose SVG is in `folder`, inlined, with a link to the study in the page for browsers.
std::string figure_sections(const core::StudyRecord& study, const std::string& folder,
                            const std::string& playground = "");

/// What a reader of the results must know: an interruption, what is missing or failed, warnings.
std::string incidents(const core::StudyRecord& study, const Undrawn& undrawn = {});

/// study_page() of a run that could not draw some figures.
std::string page_of(const core::StudyRecord& study, const std::string& folder, const std::string& playground,
                    const Undrawn& undrawn);

/// JavaScript for pages with folded parts: opens the part to which a link leads, and all claims for printing.
std::string_view folding_script();

/// The id of a figure's place in a page.
std::string figure_anchor(const core::StudyRecord& study, const std::string& figure);

/// The names of the study's figures that show a quantity which the claim mentions.
std::vector<std::string> figures_of(const core::ClaimRecord& claim, const core::StudyRecord& study);

/// The command that reproduces one claim's verdict.
std::string reproduce_command(const core::StudyRecord& study, const std::string& claim);

}  // namespace farfield::report
