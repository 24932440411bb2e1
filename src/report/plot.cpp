#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/write_file.hpp>
#include <farfield/report/plot.hpp>
#include <farfield/report/report.hpp>

#include "report/render.hpp"

namespace farfield::report {
namespace {

Figure figure_of(const core::Series& series, const PlotOptions& options) {
    if (series.rows() == 0 || series.columns.size() <= series.variables) {
        throw core::PreconditionError("plot", "series", "empty", "a variable, a value and a row at least");
    }
    Figure figure;
    figure.name = "plot";
    figure.title = options.title;
    figure.kind = series.variables == 2 ? FigureKind::heatmap : FigureKind::lines;
    figure.x.log = options.log_x;
    figure.y.log = options.log_y;
    for (std::size_t column = series.variables; column < series.columns.size(); ++column) {
        figure.traces.push_back({series.columns[column].name, &series, column, false});
    }
    return figure;
}

}  // namespace

std::string terminal_plot(const core::Series& series, const PlotOptions& options) {
    if (series.variables != 1) {
        throw core::PreconditionError("terminal_plot", "series.variables", std::to_string(series.variables), "1");
    }
    if (options.columns < 40 || options.rows < 10) {
        throw core::PreconditionError(
            "terminal_plot", "options",
            std::to_string(options.columns) + " columns, " + std::to_string(options.rows) + " rows",
            "40 columns and 10 rows at least");
    }
    return render_text(figure_of(series, options), options.columns, options.rows);
}

namespace {

void write_picture(const Figure& figure, const std::string& path) {
    const bool svg = path.ends_with(".svg");
    if (!svg && !path.ends_with(".png")) {
        throw core::UserError(
            {{{}, "a picture cannot be written as '" + path + "'", "a name that ends in .svg or .png", ""}});
    }
    core::write_file(path, svg ? render_svg(figure) : render_png(figure));
}

}  // namespace

void plot_to_file(const core::Series& series, const std::string& path, const PlotOptions& options) {
    write_picture(figure_of(series, options), path);
}

void figure_to_file(const core::FigureRecord& figure, const core::StudyRecord& study, const std::string& path) {
    write_picture(plan_figure(figure, study), path);
}

}  // namespace farfield::report
