#include "report/draw.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <set>
#include <utility>

#include "report/gnuplot.hpp"
#include "report/layout.hpp"
#include "report/text.hpp"
#include "report/thin.hpp"
#include "report/traces.hpp"

namespace farfield::report {
namespace {

constexpr double markers_of_line = 8;  ///< on a line on which not every row has a marker

std::string block_of(std::size_t trace) {
    return "$data" + std::to_string(trace);
}

const std::vector<double>& x_of(const Trace& trace) {
    return trace.series->columns.front().values;
}

const std::vector<double>& y_of(const Trace& trace) {
    return trace.series->columns[trace.column].values;
}

bool is_drawable(const Trace& trace, std::size_t row, const Figure& figure) {
    return is_drawable(x_of(trace)[row], figure.x) && is_drawable(y_of(trace)[row], figure.y);
}

/// The value, or the end of the axis that it exceeds by no more than roundings, so that its point is drawn.
double within(double value, const Axis& axis) {
    if (!axis.least || !axis.most) return value;
    const double rounding = 1e-12 * (*axis.most - *axis.least);
    const double nearest = std::clamp(value, *axis.least, *axis.most);
    return std::fabs(value - nearest) <= rounding ? nearest : value;
}

/// The rows of a line.
std::vector<std::size_t> rows_of_line(const Trace& trace, const Figure& figure) {
    Thinning thinning = {.most = most_points, .log_x = figure.x.log, .columns = {trace.column}};
    if (figure.x.least) thinning.from = *figure.x.least;
    if (figure.x.most) thinning.to = *figure.x.most;
    std::vector<std::size_t> rows = thin_rows(*trace.series, thinning);
    std::erase_if(rows, [&](std::size_t row) { return !is_drawable(x_of(trace)[row], figure.x); });
    return rows;
}

/// The rows of a cloud of points: all, or of too many the first in each square of some pixels.
std::vector<std::size_t> rows_of_points(const Trace& trace, const Figure& figure, const PanelPlace& place) {
    std::vector<std::size_t> rows;
    std::set<std::pair<long, long>> squares;
    const std::size_t count = trace.series->rows();
    for (std::size_t row = 0; row < count; ++row) {
        if (!is_drawable(trace, row, figure)) continue;
        const double across = share_of(within(x_of(trace)[row], figure.x), place.x);
        const double up = share_of(within(y_of(trace)[row], figure.y), place.y);
        if (!(across >= 0 && across <= 1 && up >= 0 && up <= 1)) continue;
        const std::pair square = {std::lround(across * place.width / pixels_between_points),
                                  std::lround(up * place.height / pixels_between_points)};
        if (count <= most_points || squares.insert(square).second) rows.push_back(row);
    }
    return rows;
}

/// The rows of a line without a neighbour that can be drawn, through which no line leads. A sparse line has markers at
/// all points.
std::vector<std::size_t> isolated(const Trace& trace, const Figure& figure, Style style) {
    if (style != Style::rough && (style != Style::line || (is_sparse(trace) && !trace.is_fit))) return {};
    const std::vector<std::size_t> rows = rows_of_line(trace, figure);
    std::vector<std::size_t> found;
    const auto is_there = [&](std::size_t at) { return at < rows.size() && is_drawable(trace, rows[at], figure); };
    for (std::size_t at = 0; at < rows.size(); ++at)
        if (is_there(at) && !is_there(at - 1) && !is_there(at + 1)) found.push_back(rows[at]);
    return found;
}

/// Rows of x, y and, if there is one, the ends of a deviation.
void write_rows(std::ostream& script, const Trace& trace, const Figure& figure, const std::vector<std::size_t>& rows) {
    const std::vector<double>&x = x_of(trace), &y = y_of(trace);
    for (const std::size_t row : rows) {
        const auto number = [&](double value) {
            return plot_number(is_drawable(value, figure.y) ? within(value, figure.y) : NAN);
        };
        script << plot_number(within(x[row], figure.x)) << ' ' << number(y[row]);
        if (trace.deviation) {
            const double deviation = trace.series->columns[*trace.deviation].values[row];
            script << ' ' << number(y[row] - deviation) << ' ' << number(y[row] + deviation);
        }
        script << '\n';
    }
}

/// For each pixel with points: its middle, the smallest and the largest value; an empty line for a pixel whose points
/// cannot be drawn. Where points are further apart than pixels, as at the left of a logarithmic axis, the lines between
/// them are drawn.
void write_envelope(std::ostream& script, const Trace& trace, const Figure& figure, const PanelPlace& place) {
    const std::vector<double>&x = x_of(trace), &y = y_of(trace);
    const auto count = static_cast<std::size_t>(place.width);
    std::vector<double> least(count, NAN), greatest(count, NAN);
    std::vector<bool> is_gap(count, false);
    for (std::size_t row = 0; row < x.size(); ++row) {
        if (!is_drawable(x[row], figure.x)) continue;
        const double share = share_of(x[row], place.x);
        if (!(share >= 0 && share <= 1)) continue;
        const std::size_t pixel = std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
        if (!is_drawable(y[row], figure.y)) {
            is_gap[pixel] = true;
            continue;
        }
        least[pixel] = std::fmin(least[pixel], y[row]);
        greatest[pixel] = std::fmax(greatest[pixel], y[row]);
    }
    const auto at = [&](double pixel) {
        const double share = (pixel + 0.5) / static_cast<double>(count);
        return place.x.log ? *place.x.least * std::pow(*place.x.most / *place.x.least, share)
                           : *place.x.least + (*place.x.most - *place.x.least) * share;
    };
    const auto write = [&](double pixel, std::size_t of) {
        script << plot_number(at(pixel)) << ' ' << plot_number(least[of]) << ' ' << plot_number(greatest[of]) << '\n';
    };
    const auto is_between_gaps = [&](std::size_t pixel) {
        const bool begins = pixel == 0 || (std::isnan(least[pixel - 1]) && is_gap[pixel - 1]);
        return begins && (pixel + 1 == count || (std::isnan(least[pixel + 1]) && is_gap[pixel + 1]));
    };
    for (std::size_t pixel = 0; pixel < count; ++pixel) {
        if (std::isnan(least[pixel])) {
            if (is_gap[pixel]) script << '\n';
        } else if (is_between_gaps(pixel)) {
            // A band of one point would be invisible.
            for (const double side : {-0.5, 0.5}) write(static_cast<double>(pixel) + side, pixel);
        } else {
            write(static_cast<double>(pixel), pixel);
        }
    }
}

/// A few rows of a long line, evenly along the axis, at different places for each trace.
void write_markers(std::ostream& script, std::size_t number, const Figure& figure, const PanelPlace& place) {
    const Trace& trace = figure.traces[number];
    const std::vector<double>&x = x_of(trace), &y = y_of(trace);
    const double traces = static_cast<double>(std::max<std::size_t>(1, figure.traces.size()));
    double next = (0.5 + static_cast<double>(number)) / traces / markers_of_line;
    script << "$marks" << number << " << END\n";
    for (std::size_t row = 0; row < x.size(); ++row) {
        if (!is_drawable(x[row], figure.x) || !is_drawable(y[row], figure.y)) continue;
        const double share = share_of(x[row], place.x);
        if (!(share >= next && share <= 1)) continue;
        script << plot_number(x[row]) << ' ' << plot_number(y[row]) << '\n';
        while (next <= share) next += 1 / markers_of_line;
    }
    script << "END\n";
}

bool has_own_markers(const Figure& figure, const Trace& trace) {
    return !is_sparse(trace) && figure.traces.size() > 1 && !trace.is_fit;
}

void write_data(std::ostream& script, std::size_t number, const Figure& figure, const PanelPlace& place) {
    const Trace& trace = figure.traces[number];
    const Style style = style_of(figure, trace, place.width);
    script << block_of(number) << " << END\n";
    if (style == Style::envelope)
        write_envelope(script, trace, figure, place);
    else if (style == Style::points)
        write_rows(script, trace, figure, rows_of_points(trace, figure, place));
    else
        write_rows(script, trace, figure, rows_of_line(trace, figure));
    script << "END\n";
    if (const std::vector<std::size_t> alone = isolated(trace, figure, style); !alone.empty()) {
        script << "$alone" << number << " << END\n";
        write_rows(script, trace, figure, alone);
        script << "END\n";
    }
    if (style == Style::line && has_own_markers(figure, trace)) write_markers(script, number, figure, place);
}

/// The plot commands of a trace, with that of the deviation first.
std::vector<std::string> commands_of(const Figure& figure, std::size_t number, double pixels) {
    const Trace& trace = figure.traces[number];
    const Look look = look_of(figure, number);
    const std::string data = block_of(number), colour = std::string(" linecolor rgb '") + look.colour + "' notitle";
    const std::string marker = "pointtype " + std::to_string(look.marker);
    const Style style = style_of(figure, trace, pixels);
    std::vector<std::string> commands;
    if (!isolated(trace, figure, style).empty())
        commands.push_back("$alone" + std::to_string(number) + " using 1:2 with points pointtype 7 pointsize 0.3" +
                           colour);
    if (trace.deviation && is_sparse(trace))
        commands.push_back(data + " using 1:2:3:4 with yerrorbars linewidth 1.2 pointtype 0" + colour);
    else if (trace.deviation && style == Style::line)
        commands.push_back(data + " using 1:3:4 with filledcurves fillstyle transparent solid 0.18 noborder" + colour);
    switch (style) {
        case Style::points:
            commands.push_back(data + " using 1:2 with points " + marker + " pointsize 0.9" + colour);
            break;
        case Style::envelope:
            commands.push_back(data + " using 1:2:3 with filledcurves fillstyle transparent solid 0.4 noborder" +
                               colour);
            for (const char* end : {"2", "3"})
                commands.push_back(data + " using 1:" + end + " with lines dashtype solid linewidth 0.8" + colour);
            break;
        case Style::rough:
            commands.push_back(data + " using 1:2 with lines dashtype solid linewidth 1.2" + colour);
            break;
        case Style::line: {
            const std::string line =
                std::string("dashtype ") + look.dash + " linewidth " + (trace.is_fit ? "2.6" : "2");
            const bool is_marked = is_sparse(trace) && !trace.is_fit;
            commands.push_back(data + " using 1:2 with lines " + line + colour);
            if (is_marked) commands.push_back(data + " using 1:2 with points " + marker + " pointsize 0.7" + colour);
            if (has_own_markers(figure, trace))
                commands.push_back("$marks" + std::to_string(number) + " using 1:2 with points " + marker +
                                   " pointsize 0.7" + colour);
        }
    }
    return commands;
}

/// The samples of the legend: lines and rectangles, and labels that consist only of a marker.
void write_samples(std::ostream& script, const Figure& figure, const Layout& layout) {
    const double pixels = layout.panels.front().width;
    int number = 1;
    for (const Sample& sample : layout.samples) {
        const Look look = look_of(figure, sample.trace);
        const Trace& trace = figure.traces[sample.trace];
        const Style style = style_of(figure, trace, pixels);
        const auto at = [&](double x, double y) {
            return screen(sample.x + x, picture_width) + ", " + screen(layout.height - sample.y - y, layout.height);
        };
        const std::string colour = std::string("rgb '") + look.colour + "'";
        if (style == Style::envelope) {
            script << "set object " << number << " rectangle from " << at(0, 5) << " to " << at(sample_width, -5)
                   << " front fillcolor " << colour << " fillstyle transparent solid 0.45 border linecolor " << colour
                   << '\n';
        } else if (style != Style::points) {
            script << "set arrow " << number << " from " << at(0, 0) << " to " << at(sample_width, 0)
                   << " nohead front dashtype " << (style == Style::rough ? "solid" : look.dash) << " linewidth "
                   << (style == Style::rough ? "1.2"
                       : trace.is_fit        ? "2.6"
                                             : "2")
                   << " linecolor " << colour << '\n';
        }
        if (style == Style::points || (style == Style::line && !trace.is_fit))
            script << "set label " << number << " '' at " << at(sample_width / 2, 0) << " point pointtype "
                   << look.marker << " pointsize 0.8 linecolor " << colour << " front\n";
        ++number;
    }
}

void write_axis_of_panel(std::ostream& script, const char* name, const Axis& axis, const std::vector<Tick>& ticks) {
    script << (axis.log ? "set logscale " : "unset logscale ") << name << '\n'
           << "set " << name << "range [" << exact_number(*axis.least) << ':' << exact_number(*axis.most) << "]\n";
    write_ticks(script, name, ticks);
}

/// Vertical lines at trained lengths, and the diagonal.
void write_guides(std::ostream& script, const Figure& figure, const PanelPlace& place) {
    constexpr const char* thin = " nohead back dashtype (4,4) linewidth 1.2 linecolor rgb '#666666'\n";
    int number = 500;
    for (const double length : place.trained) {
        const std::string x = "first " + exact_number(length);
        script << "set arrow " << number++ << " from " << x << ", graph 0 to " << x << ", graph 1" << thin;
    }
    if (has_diagonal(figure)) script << "set arrow " << number << " from graph 0, graph 0 to graph 1, graph 1" << thin;
}

void write_leaders(std::ostream& script, const Layout& layout) {
    int number = 600;
    for (const Leader& leader : layout.leaders)
        script << "set arrow " << number++ << " from " << screen(leader.from_x, picture_width) << ", "
               << screen(layout.height - leader.from_y, layout.height) << " to " << screen(leader.to_x, picture_width)
               << ", " << screen(layout.height - leader.to_y, layout.height)
               << " nohead back linewidth 0.7 linecolor rgb '#999999'\n";
}

void write_panel(std::ostream& script, const Figure& figure, std::size_t panel, const Layout& layout) {
    const PanelPlace& place = layout.panels[panel];
    write_margins(script, {place.left, place.top, place.width, place.height}, layout.height);
    write_axis_of_panel(script, "x", place.x, place.x_ticks);
    write_axis_of_panel(script, "y", place.y, place.y_ticks);
    write_guides(script, figure, place);
    const char* between = "plot ";
    for (const std::size_t at : drawing_order(figure, panel, place.width)) {
        for (const std::string& command : commands_of(figure, at, place.width)) {
            script << between << command;
            between = ", \\\n     ";
        }
    }
    script << "\nunset arrow\nunset label\nunset object\n";
}

}  // namespace

std::string plot_number(double value) {
    return std::isfinite(value) ? exact_number(value) : "NaN";
}

void write_style(std::ostream& script) {
    script << "set encoding utf8\n"
              "unset key\n"
              "set border 3 linecolor rgb '#333333' linewidth 1\n"
              "set tics nomirror out scale 0.7 textcolor rgb '#222222' font ',12'\n"
              "set grid xtics ytics linetype 1 linecolor rgb '#DDDDDD' linewidth 1 dashtype solid\n";
}

void write_ticks(std::ostream& script, std::string_view name, const std::vector<Tick>& ticks) {
    script << "set " << name << "tics noenhanced (";
    for (std::size_t at = 0; at < ticks.size(); ++at)
        script << (at == 0 ? "" : ", ") << gnuplot_text(ticks[at].text) << ' ' << exact_number(ticks[at].at);
    script << ")\n";
}

void write_margins(std::ostream& script, const Frame& frame, double height) {
    script << "set lmargin at " << screen(frame.left, picture_width) << "\nset rmargin at "
           << screen(frame.left + frame.width, picture_width) << "\nset tmargin at "
           << screen(height - frame.top, height) << "\nset bmargin at "
           << screen(height - frame.top - frame.height, height) << '\n';
}

void write_lines(std::ostream& script, const Figure& figure) {
    const Layout layout = layout_of(figure);
    for (std::size_t at = 0; at < figure.traces.size(); ++at)
        write_data(script, at, figure, layout.panels[figure.traces[at].panel]);
    write_texts(script, layout.texts, layout.height);
    write_samples(script, figure, layout);
    write_leaders(script, layout);
    script << "set multiplot\n";
    for (std::size_t panel = 0; panel < layout.panels.size(); ++panel) write_panel(script, figure, panel, layout);
    script << "unset multiplot\n";
}

void write_characters(std::ostream& script, const Figure& figure) {
    const Layout layout = layout_of(figure);
    const PanelPlace& place = layout.panels.front();
    const auto range = [&](const char* name, const Axis& axis, const std::string& words) {
        if (axis.log) script << "set logscale " << name << " 10\n";
        script << "set " << name << "range [" << exact_number(*axis.least) << ':' << exact_number(*axis.most) << "]\n"
               << "set " << name << "label " << gnuplot_text(words) << " noenhanced\n";
    };
    const Trace& first = figure.traces.front();
    range("x", place.x, first.series->columns.front().name);
    range("y", place.y, figure.traces.size() > 1 ? "" : first.label);
    for (std::size_t at = 0; at < figure.traces.size(); ++at) {
        script << block_of(at) << " << END\n";
        write_rows(script, figure.traces[at], figure, rows_of_line(figure.traces[at], figure));
        script << "END\n";
    }
    const char* between = "plot ";
    for (std::size_t at = 0; at < figure.traces.size(); ++at) {
        const bool is_point = figure.traces[at].series->rows() == 1;
        script << between << block_of(at) << " using 1:2 with " << (is_point ? "points" : "lines") << " title "
               << gnuplot_text(figure.traces[at].label);
        between = ", \\\n     ";
    }
    script << '\n';
}

}  // namespace farfield::report
