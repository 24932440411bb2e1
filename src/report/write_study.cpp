#include <exception>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/series_file.hpp"
#include "report/text.hpp"
#include "report/written_files.hpp"

namespace farfield::report {

std::vector<std::string> losses_of_writing(const core::StudyRecord& study, const std::string& folder) {
    const std::optional<WrittenFiles> before = read_written_files(folder);
    std::vector<std::string> losses;
    if (!before) return losses;
    for (const std::string& name : study.not_computed)
        if (before->computed.contains(name)) losses.push_back(name);
    return losses;
}

void write_study(const core::StudyRecord& study, const std::string& folder, const WriteOptions& options) {
    const std::optional<WrittenFiles> before = read_written_files(folder);
    core::check_replaceable(folder + "/results.json");
    std::vector<std::string> now;
    for (const core::Result& quantity : study.quantities) {
        if (!quantity.series) continue;
        const core::Series& series = *quantity.series;
        const std::string thinned = thinned_file(quantity);
        now.insert(now.end(), {series_file(quantity), thinned});
        const std::string path = folder + "/" + series_file(quantity);
        if (thinned.empty()) {
            core::write_file(path, series_csv(series));
        } else {
            core::write_pieces(path, [&series](const auto& write) { write_series_npy(series, write); });
            core::write_file(folder + "/" + thinned, thinned_csv(series));
        }
    }
    // Write the results before the figures, so that they are kept if gnuplot is missing.
    core::write_file(folder + "/results.json", results_json(study));
    std::exception_ptr failure;
    core::Problems problems;
    if (!options.figures) find_figure_problems(study, problems);
    const auto draw_all = [&](PictureFormat format, const char* ending) {
        for (const core::FigureRecord& figure : study.figures) {
            if (!options.figures || failure) return;
            try {
                if (draw_figure(figure, study, folder, format)) now.push_back(file_stem(figure.name) + ending);
            } catch (const core::UserError& error) {
                if (format == PictureFormat::svg) problems.add(error);
            } catch (const core::MissingError&) {
                failure = std::current_exception();
            }
        }
    };
    draw_all(PictureFormat::svg, ".svg");
    // Figures of an earlier run may be in the folder, so a page without figures must be requested explicitly.
    core::write_file(folder + "/report.html", study_page(study, options.figures && !failure ? folder : ""));
    // These take longest, and the page shows none of them.
    draw_all(PictureFormat::png, ".png");
    // Files that were not reached before an interruption may be complete from the run before.
    const bool is_complete = !study.interrupted && !failure;
    if (is_complete && before && before->study == study.study) remove_left_over(folder, *before, now);
    if (failure) std::rethrow_exception(failure);
    problems.raise();
}

}  // namespace farfield::report
