#include <farfield/report/report.hpp>
#include <ostream>

#include "report/draw.hpp"
#include "report/gnuplot.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

/// The same commands twice: once for the page and the screen, once for paper at twice the size.
void write_script(std::ostream& script, const Figure& figure, const ScratchFolder& scratch) {
    const auto draw = [&] {
        figure.kind == FigureKind::heatmap ? write_heatmaps(script, figure) : write_lines(script, figure);
    };
    script << "set terminal svg size 880,560 dynamic enhanced font 'DejaVu Sans,13' background '#ffffff'\n"
           << "set output " << gnuplot_text(scratch.file("figure.svg")) << '\n';
    write_style(script, figure);
    draw();
    script
        << "unset output\n"
        << "set terminal pngcairo size 1760,1120 enhanced font 'DejaVu Sans,13' fontscale 2 linewidth 2 pointscale 2\n"
        << "set output " << gnuplot_text(scratch.file("figure.png")) << '\n';
    draw();
    script << "unset output\n";
}

}  // namespace

bool draw_figure(const core::FigureRecord& record, const core::StudyRecord& study, const std::string& folder) {
    const Figure figure = plan_figure(record, study);
    if (figure.traces.empty()) return false;
    const ScratchFolder scratch;
    run_gnuplot(scratch, [&](std::ostream& script) { write_script(script, figure, scratch); });
    const std::string path = folder + "/" + file_stem(figure.name);
    write_file(path + ".svg", finished_svg(read_output(scratch.file("figure.svg")), figure));
    write_file(path + ".png", read_output(scratch.file("figure.png")));
    return true;
}

}  // namespace farfield::report
