#include <algorithm>
#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>

#include "report/render.hpp"
#include "report/summary.hpp"
#include "report/text.hpp"

namespace farfield::report {

bool can_draw(const core::FigureRecord& figure, const core::StudyRecord& study) {
    const std::vector<std::string> names = figure_series(figure);
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        bool found = false;
        for (const core::Result& quantity : study.quantities) {
            if (quantity.name != name && !quantity.name.starts_with(name + "[")) continue;
            if (!quantity.series) return false;
            found = true;
        }
        return found;
    });
}

void find_figure_problems(const core::StudyRecord& study, core::Problems& problems) {
    for (const core::FigureRecord& figure : study.figures) {
        try {
            plan_figure(figure, study);
        } catch (const core::UserError& error) {
            problems.add(error);
        }
    }
}

bool draw_figure(const core::FigureRecord& record, const core::StudyRecord& study, const std::string& folder,
                 PictureFormat format) {
    const Figure figure = plan_figure(record, study);
    if (figure.traces.empty()) return false;
    const std::string path = folder + "/" + file_stem(figure.name);
    if (format == PictureFormat::svg)
        core::write_file(path + ".svg", render_svg(figure));
    else
        core::write_file(path + ".png", render_png(figure));
    return true;
}

}  // namespace farfield::report
