#include <exception>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "report/html.hpp"
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

namespace {

/// The pictures of a study's figures in its folder.
class Pictures {
public:
    Pictures(const core::StudyRecord& study, const std::string& folder) : study_(study), folder_(folder) {}

    void draw() {
        for (const core::FigureRecord& figure : study_.figures) {
            try {
                if (draw_figure(figure, study_, folder_)) drawn_.push_back(&figure);
            } catch (const core::UserError& error) {
                undrawn_.failed.push_back({"figure " + figure.name, error.diagnostics()});
            } catch (const core::MissingError& error) {
                undrawn_.missing.emplace_back("figure " + figure.name, error.what());
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }

    /// The same figures for paper.
    void draw_again() {
        for (const core::FigureRecord* figure : drawn_) {
            try {
                draw_figure(*figure, study_, folder_, PictureFormat::png);
            } catch (const core::MissingError&) {
                std::error_code ignored;
                std::filesystem::remove(folder_ + "/" + file_stem(figure->name) + ".png", ignored);
                if (!failure_) failure_ = std::current_exception();
            }
        }
    }

    std::vector<std::string> files() const {
        std::vector<std::string> names;
        for (const core::FigureRecord* figure : drawn_)
            for (const char* ending : {".svg", ".png"}) names.push_back(file_stem(figure->name) + ending);
        return names;
    }

    const Undrawn& undrawn() const { return undrawn_; }
    const std::exception_ptr& failure() const { return failure_; }

private:
    const core::StudyRecord& study_;
    const std::string& folder_;
    std::vector<const core::FigureRecord*> drawn_;
    Undrawn undrawn_;
    std::exception_ptr failure_;
};

}  // namespace

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
    core::Problems problems;
    Pictures pictures(study, folder);
    if (options.figures)
        pictures.draw();
    else
        find_figure_problems(study, problems);
    for (const core::FailureRecord& each : pictures.undrawn().failed) problems.add(core::UserError(each.diagnostics));
    if (!pictures.undrawn().empty())
        core::write_file(folder + "/results.json", results_json(study, pictures.undrawn()));
    // The page must not show figures of an earlier run. After an interruption, its files may be complete.
    const std::vector<std::string> drawn = pictures.files();
    now.insert(now.end(), drawn.begin(), drawn.end());
    if (!study.interrupted && before && before->study == study.study) remove_left_over(folder, *before, now);
    core::write_file(folder + "/report.html", page_of(study, options.figures ? folder : "", "", pictures.undrawn()));
    // These take longest, and the page shows none of them.
    pictures.draw_again();
    if (pictures.failure()) std::rethrow_exception(pictures.failure());
    problems.raise();
}

}  // namespace farfield::report
