// Results to files: JSON, CSV, figures, pages. Every file is written under a temporary name and renamed.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/keys.hpp>
#include <farfield/core/place.hpp>
#include <farfield/core/record.hpp>

namespace farfield::report {

/// The figures that could not be drawn, as "figure NAME": those that their series do not allow, and those for which
/// the machine lacks something.
struct Undrawn {
    std::vector<core::FailureRecord> failed;
    std::vector<std::pair<std::string, std::string>> missing;

    bool empty() const { return failed.empty() && missing.empty(); }
};

/// results.json of a study (docs/results.md). Numbers carry 17 significant digits; non-finite ones are "inf", "-inf",
/// "nan". Figures that were not drawn are listed with the quantities that failed or are missing.
std::string results_json(const core::StudyRecord& study, const Undrawn& undrawn = {});

/// The claims of the studies as a JSON list, each as in results.json and with its study and file. If `id` is not empty,
/// only the claim with this id. The text is ASCII, with other characters escaped.
std::string claims_json(std::span<const core::StudyRecord> studies, std::string_view id = {});

/// Reads a results.json back (verdicts and numbers, not the series); throws core::UserError naming the file.
core::StudyRecord read_results(const std::string& path);

/// A series as CSV: header of column names, 17 significant digits.
std::string series_csv(const core::Series& series);

/// The keys of a [figure.NAME], and the keys of its axes x, y and z.
std::span<const core::Key> figure_keys();
std::span<const core::Key> axis_keys();

/// Checks a [figure.NAME] against those keys, its axes included; `owner` is the place of its name.
void check_figure(const core::Entries& settings, const core::Place& owner, core::Problems& problems);

enum class PictureFormat { svg, png };

/// Draws a figure with gnuplot as folder/name.svg or, in twice the size, as folder/name.png. Supports lines, several
/// series, log axes, a fitted curve over its data, and the heat map of a matrix. Returns false and draws nothing if the
/// results contain none of its series. Throws core::MissingError if gnuplot is not installed or fails, core::UserError
/// if its series cannot be drawn with these settings.
bool draw_figure(const core::FigureRecord& record, const core::StudyRecord& study, const std::string& folder,
                 PictureFormat format = PictureFormat::svg);

/// Adds what keeps the figures of the study's results from being drawn from their series.
void find_figure_problems(const core::StudyRecord& study, core::Problems& problems);

/// Whether the study's results contain all series that the figure shows.
bool can_draw(const core::FigureRecord& figure, const core::StudyRecord& study);

struct WriteOptions {
    bool figures = true;
};

/// The quantities, claims and figures in the folder's results.json that write_study() would lose, because the run did
/// not compute them: "fit", "claim SA-31", "figure f". Throws core::UserError if the file is not a results.json,
/// core::MissingError if it cannot be read.
std::vector<std::string> losses_of_writing(const core::StudyRecord& study, const std::string& folder);

/// Writes all results of a study into the folder: results.json, CSVs (over 100,000 rows an .npy and a thinned CSV),
/// figures unless left out, report.html. Throws core::MissingError. If only gnuplot is missing, it is thrown after
/// everything else is written; the same applies to core::UserError for figures that cannot be drawn from their series,
/// also if figures are left out.
void write_study(const core::StudyRecord& study, const std::string& folder, const WriteOptions& options = {});

/// One self-contained HTML page of a study, with the figures whose SVG is in `folder`; without figures if that is "".
/// The page, its figures and its claims link to `playground`, an address that ends in the study's fragment, unless that
/// is "".
std::string study_page(const core::StudyRecord& study, const std::string& folder, const std::string& playground = "");

/// The content of a file that a study names relative to its folder; nothing if the content is too large for a link.
using ContentOf = std::function<std::optional<std::string>(const std::string& name)>;

/// The fragment of an address that opens a study in the page for browsers (docs/browser.md), with the files that it
/// names, without compression; "" for a study that the page cannot run because it needs models, or files that
/// `content_of` does not give.
std::string playground_fragment(std::string_view study, const ContentOf& content_of = {});

/// A problem that a check found, for programs that show it at its line.
struct Alert {
    std::string rule;     ///< an id
    std::string meaning;  ///< of the rule; may be empty
    std::string level;    ///< "error", "warning" or "note"
    std::string message;
    core::Place place;  ///< the file alone where the line is 0
};

/// The claims that fail or are missing: a rule for each claim, an alert at its line of the study.
std::vector<Alert> alerts_of(std::span<const core::StudyRecord> studies);

/// SARIF 2.1.0 of alerts.
std::string sarif(std::span<const Alert> alerts, std::string_view version);

/// JUnit XML of the claims, one suite a study, and an error for each problem; Markdown tables of claims and problems.
std::string junit(std::span<const core::StudyRecord> studies, std::span<const Alert> problems = {});
std::string markdown(std::span<const core::StudyRecord> studies, std::span<const Alert> problems = {});

}  // namespace farfield::report
