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
    write_lines(script, figure);
}

/// What gnuplot writes in a terminal. The commands are the same in each: one for the page and the screen, one for
/// paper.
std::string render(const Figure& figure, const std::string& terminal) {
    const ScratchFolder scratch;
    const std::string file = scratch.file("figure");
    run_gnuplot(scratch, [&](std::ostream& script) {
        script << "set terminal " << terminal << "\nset output " << gnuplot_text(file) << '\n';
        write_style(script);
        draw(script, figure);
        script << "unset output\n";
    });
    return read_output(file);
}

/// Removes trailing blanks of lines, and the page break before them.
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

std::string render_svg(const Figure& figure) {
    const std::string terminal = "svg size 880," + std::to_string(picture_height(figure)) +
                                 " dynamic enhanced font 'DejaVu Sans,13' background '#ffffff'";
    return finished_svg(render(figure, terminal), figure);
}

std::string render_png(const Figure& figure) {
    return render(figure, "pngcairo size 1760," + std::to_string(2 * picture_height(figure)) +
                              " enhanced font 'DejaVu Sans,13' fontscale 1.5 linewidth 2 pointscale 2");
}

std::string render_text(const Figure& figure, std::size_t columns, std::size_t rows) {
    const ScratchFolder scratch;
    run_gnuplot(scratch, [&](std::ostream& script) {
        script << "set terminal dumb noenhanced size " << columns << ',' << rows << "\nset output "
               << gnuplot_text(scratch.file("figure.txt"))
               << "\nset key noenhanced outside bottom center horizontal\nset title " << gnuplot_text(figure.title)
               << '\n'
               << (figure.traces.size() > 1 ? "" : "unset key\n");
        write_characters(script, figure);
        script << "unset output\n";
    });
    return trimmed(read_output(scratch.file("figure.txt")));
}

}  // namespace farfield::report
