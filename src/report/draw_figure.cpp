#include <farfield/core/write_file.hpp>
#include <farfield/report/report.hpp>

#include "report/render.hpp"
#include "report/text.hpp"

namespace farfield::report {

bool draw_figure(const core::FigureRecord& record, const core::StudyRecord& study, const std::string& folder) {
    const Figure figure = plan_figure(record, study);
    if (figure.traces.empty()) return false;
    const Picture picture = render(figure);
    const std::string path = folder + "/" + file_stem(figure.name);
    core::write_file(path + ".svg", picture.svg);
    core::write_file(path + ".png", picture.png);
    return true;
}

}  // namespace farfield::report
