#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <farfield/core/error.hpp>
#include <farfield/report/report.hpp>
#include <filesystem>
#include <functional>
#include <optional>

#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/studies.hpp"

namespace farfield::cli {

namespace {

namespace fs = std::filesystem;

struct DrawOptions {
    StudyArguments studies;
    std::string folder = "results";
};

void add_draw_options(CLI::App& app, DrawOptions& options) {
    add_selection(app, options.studies);
    add_store(app, options.studies);
    app.add_option("-o,--output", options.folder, "folder of the results; default: results");
    add_threads(app);
}

/// The study's recorded results; nothing if it has none.
std::optional<core::StudyRecord> record_of(const std::string& folder) {
    const std::string file = folder + "/results.json";
    std::error_code failure;
    if (!fs::is_regular_file(file, failure)) return std::nullopt;
    return report::read_results(file);
}

/// The requested figures: all, or those in --only.
std::vector<std::string> figures_of(const study::Study& study, const std::vector<std::string>& only) {
    std::vector<std::string> figures = study.figures();
    if (!only.empty())
        std::erase_if(figures,
                      [&](const std::string& name) { return std::find(only.begin(), only.end(), name) == only.end(); });
    return figures;
}

/// Draws a figure if its series are recorded; whether they are.
bool draw_one(core::StudyRecord& record, const std::string& name, const std::string& folder) {
    const auto figure = std::find_if(record.figures.begin(), record.figures.end(),
                                     [&](const core::FigureRecord& each) { return each.name == name; });
    if (figure == record.figures.end() || !report::can_draw(*figure, record)) return false;
    report::draw_figure(*figure, record, folder);
    return true;
}

/// An end or extreme of a series that is not the one on record; nothing if there is none. Other machines may compute
/// other last digits.
std::optional<std::string> changed_value(const core::StudyRecord& now, const core::StudyRecord& before) {
    constexpr double last_digits = 1e-6;
    for (const core::Result& quantity : now.quantities) {
        for (const core::Result& other : before.quantities) {
            if (other.name != quantity.name) continue;
            for (const char* name : {"min", "max", "first", "last"}) {
                const core::Cell *cell = quantity.find(name), *found = other.find(name);
                if (!cell || !found || !cell->number || !found->number || *cell->number == *found->number) continue;
                const double largest = std::max(std::abs(*cell->number), std::abs(*found->number));
                if (!(std::abs(*cell->number - *found->number) <= last_digits * largest))
                    return fmt::format("{}.{} is {:.10g}, and {:.10g} in the results", quantity.name, name,
                                       *cell->number, *found->number);
            }
        }
    }
    return std::nullopt;
}

using Tell = std::function<void(const std::string& item, double share)>;

/// Runs the study for its figures `options.only` and draws them into `folder`.
void draw_study(const study::Study& study, const std::string& folder, study::Options options, const Tell& tell,
                Progress& progress, Outcome& outcome) {
    const std::optional<core::StudyRecord> before = record_of(folder);
    options.recorded = [&](const std::string& name) -> std::optional<core::Result> {
        if (!before) return std::nullopt;
        for (const core::Result& quantity : before->quantities)
            if (quantity.name == name) return quantity;
        return std::nullopt;
    };
    options.progress = [&](const std::string& item, double done, double total) {
        tell(item, total > 0 ? std::min(1.0, done / total) : 0);
    };
    core::StudyRecord record = study::run(study, options);
    progress.clear();
    tell_failures(record, outcome);
    if (const auto changed = before ? changed_value(record, *before) : std::nullopt) {
        outcome.unexpected = true;
        print_error(
            "{}: its figures are not drawn, because they would not match '{}/results.json': {}; run the "
            "study again\n",
            record.file, folder, *changed);
        return;
    }
    for (const std::string& name : options.only) {
        tell("figure " + name, 1);
        const bool is_drawn = draw_one(record, name, folder);
        progress.clear();
        if (is_drawn) {
            print("{}/{}.svg\n", folder, name);
            continue;
        }
        outcome.missing = true;
        print_error("{}: figure {} is not drawn: its series are neither on record nor computed without training\n",
                    record.file, name);
    }
}

int draw(const DrawOptions& asked) {
    require_paths(asked.studies, "draw");
    std::error_code failure;
    if (fs::is_regular_file(asked.folder, failure))
        refuse_input("-o names the file '" + asked.folder + "'", "a folder of results");
    study::Options options = options_of(asked.studies);
    options.recorded = [](const std::string&) { return std::nullopt; };
    Outcome outcome;
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(asked.studies.paths, options, unreadable);
    for (const std::string& each : unreadable) print_error("{}\n", each);
    outcome.missing = !unreadable.empty();
    check_folders(studies, asked.folder);
    const bool has_figures = std::any_of(studies.begin(), studies.end(), [&](const study::Study& each) {
        return !figures_of(each, asked.studies.only).empty();
    });
    if (!has_figures && unreadable.empty())
        refuse_input(asked.studies.only.empty() ? "the studies have no figures" : "--only names no figure",
                     "studies with [figure.NAME], or farfield plot");
    catch_interrupts();
    Progress progress;
    for (std::size_t at = 0; at < studies.size() && !was_interrupted(); ++at) {
        const study::Study& study = studies[at];
        const Tell tell = [&](const std::string& item, double share) {
            const auto all = static_cast<double>(studies.size());
            progress.tell(study.name() + ": " + item, static_cast<double>(at) + share, all);
        };
        options.only = figures_of(study, asked.studies.only);
        if (options.only.empty()) continue;
        draw_study(study, (fs::path(asked.folder) / study.name()).string(), options, tell, progress, outcome);
    }
    return outcome.status();
}

}  // namespace

const Command draw_command{"draw", "draw the figures of studies again, with trained series as they are on record",
                           declare<DrawOptions, add_draw_options, draw>};

}  // namespace farfield::cli
