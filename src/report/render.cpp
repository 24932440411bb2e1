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

/// Writes the same commands for each terminal: one for the page and the screen, one for paper.
void write_script(std::ostream& script, const Figure& figure, const std::string& terminal, const std::string& file) {
    script << "reset\nset terminal " << terminal << "\nset output " << gnuplot_text(file) << '\n';
    write_style(script);
    draw(script, figure);
    script << "unset output\n";
}

std::string svg_terminal(int height) {
    return "svg size 880," + std::to_string(height) + " dynamic enhanced font 'DejaVu Sans,13' background '#ffffff'";
}

std::string png_terminal(int height) {
    return "pngcairo size 1760," + std::to_string(2 * height) +
           " enhanced font 'DejaVu Sans,13' fontscale 1.5 linewidth 2 pointscale 2";
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

Picture render(const Figure& figure, bool with_png) {
    const ScratchFolder scratch;
    const int height = picture_height(figure);
    const std::string svg = scratch.file("figure.svg"), png = scratch.file("figure.png");
    run_gnuplot(scratch, [&](std::ostream& script) {
        write_script(script, figure, svg_terminal(height), svg);
        if (with_png) write_script(script, figure, png_terminal(height), png);
    });
    return {finished_svg(read_output(svg), figure), with_png ? read_output(png) : ""};
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
