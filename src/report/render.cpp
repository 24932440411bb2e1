#include "report/render.hpp"

#include <algorithm>
#include <ostream>

#include "report/draw.hpp"
#include "report/gnuplot.hpp"
#include "report/svg.hpp"

namespace farfield::report {
namespace {

void draw(std::ostream& script, const Figure& figure) {
    if (figure.kind == FigureKind::heatmap) {
        write_heatmaps(script, figure);
        return;
    }
    write_legend(script, figure);
    write_lines(script, figure);
}

/// The same commands twice: once for the page and the screen, once for paper.
void write_script(std::ostream& script, const Figure& figure, const ScratchFolder& scratch) {
    const int height = picture_height(figure);
    script << "set terminal svg size 880," << height << " dynamic enhanced font 'DejaVu Sans,13' background '#ffffff'\n"
           << "set output " << gnuplot_text(scratch.file("figure.svg")) << '\n';
    write_style(script, figure);
    draw(script, figure);
    script << "unset output\nreset\n"
           << "set terminal pngcairo size 1760," << 2 * height
           << " enhanced font 'DejaVu Sans,13' fontscale 2 linewidth 2 pointscale 2\n"
           << "set output " << gnuplot_text(scratch.file("figure.png")) << '\n';
    write_style(script, figure);
    draw(script, figure);
    script << "unset output\n";
}

/// Lines end where their last mark does; no page break before them.
std::string trimmed(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        line.erase(std::remove(line.begin(), line.end(), '\f'), line.end());
        line.erase(line.find_last_not_of(" \r") + 1);
        if (!line.empty() || !result.empty()) result += line + "\n";
        at = end + 1;
    }
    result.erase(result.find_last_not_of('\n') + 1);
    return result + "\n";
}

}  // namespace

Picture render(const Figure& figure) {
    const ScratchFolder scratch;
    run_gnuplot(scratch, [&](std::ostream& script) { write_script(script, figure, scratch); });
    return {finished_svg(read_output(scratch.file("figure.svg")), figure), read_output(scratch.file("figure.png"))};
}

std::string render_text(const Figure& figure, std::size_t columns, std::size_t rows) {
    const ScratchFolder scratch;
    run_gnuplot(scratch, [&](std::ostream& script) {
        script << "set terminal dumb noenhanced size " << columns << ',' << rows << "\nset output "
               << gnuplot_text(scratch.file("figure.txt"))
               << "\nset key noenhanced outside bottom center horizontal\nset title " << gnuplot_text(figure.title)
               << '\n'
               << (figure.traces.size() > 1 ? "" : "unset key\n");
        write_lines(script, figure);
        script << "unset output\n";
    });
    return trimmed(read_output(scratch.file("figure.txt")));
}

}  // namespace farfield::report
