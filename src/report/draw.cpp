#include "report/draw.hpp"

#include <algorithm>
#include <cmath>
#include <farfield/report/report.hpp>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <ostream>

#include "report/gnuplot.hpp"
#include "report/text.hpp"
#include "report/thin.hpp"

namespace farfield::report {
namespace {

constexpr std::size_t most_points = 2400;  ///< as many as the picture has dots to tell them apart
constexpr std::size_t few_points = 60;     ///< so many data are seen one by one beside a fitted curve

constexpr std::size_t most_turns = 60;  ///< of a line that is still smooth: one every dozen dots

/// Okabe and Ito's colours for all kinds of colour vision, without yellow, which is lost on white paper; each with a
/// dash and a marker of its own, for paper without colours.
/// Source: Okabe, Ito: Color Universal Design, 2008.
struct Look {
    const char* colour;
    const char* dash;
    int marker;
};
constexpr Look looks[] = {
    {"#0072B2", "solid", 7}, {"#D55E00", "(12,5)", 5},          {"#009E73", "(3,4)", 9},  {"#CC79A7", "(14,4,3,4)", 13},
    {"#000000", "(6,3)", 6}, {"#E69F00", "(14,4,3,4,3,4)", 11}, {"#56B4E9", "(20,4)", 4},
};

const Look& look_of(std::size_t trace) {
    return looks[trace % std::size(looks)];
}

/// The dash moves on when the colours start again, so that no two of the first 42 lines look alike.
const char* dash_of(std::size_t trace) {
    return looks[(trace + trace / std::size(looks)) % std::size(looks)].dash;
}

bool is_drawable(double value, const Axis& axis) {
    return std::isfinite(value) && !(axis.log && !(value > 0));
}

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void include(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

struct Extent {
    Range x, y;
};

/// The rectangle that holds every point to be drawn.
Extent extent_of(const Figure& figure) {
    Extent extent;
    for (const Trace& trace : figure.traces) {
        const std::vector<double>& x = trace.series->columns.front().values;
        const std::vector<double>& y = trace.series->columns[trace.column].values;
        for (std::size_t row = 0; row < x.size(); ++row) {
            if (!is_drawable(x[row], figure.x) || !is_drawable(y[row], figure.y)) continue;
            if (figure.x.least && !(x[row] >= *figure.x.least && x[row] <= *figure.x.most)) continue;
            extent.x.include(x[row]);
            extent.y.include(y[row]);
        }
    }
    return extent;
}

/// The axis with ends: those asked for, or those of the points with a little air.
Axis shown(Axis axis, const Range& range, double air) {
    if (axis.least) return axis;
    if (!(range.least <= range.most)) {
        axis.least = axis.log ? 1 : 0;
        axis.most = axis.log ? 10 : 1;
        return axis;
    }
    const double low = axis.log ? std::log(range.least) : range.least;
    const double high = axis.log ? std::log(range.most) : range.most;
    const double level = axis.log ? 0.5 : std::max(std::fabs(low) * 0.1, 1e-300);
    const double margin = high > low ? (high - low) * air : level;
    axis.least = axis.log ? std::exp(low - margin) : low - margin;
    axis.most = axis.log ? std::exp(high + margin) : high + margin;
    return axis;
}

void write_data(std::ostream& script, std::size_t number, const Trace& trace, const Figure& figure) {
    script << "$data" << number << " << END\n";
    const std::vector<double>& x = trace.series->columns.front().values;
    const std::vector<double>& y = trace.series->columns[trace.column].values;
    for (const std::size_t row : thin_rows(*trace.series, {most_points, figure.x.log, {trace.column}})) {
        if (!is_drawable(x[row], figure.x)) continue;
        script << plot_number(x[row]) << ' ' << plot_number(is_drawable(y[row], figure.y) ? y[row] : NAN) << '\n';
    }
    script << "END\n";
}

bool has_fit(const Figure& figure) {
    return std::any_of(figure.traces.begin(), figure.traces.end(), [](const Trace& trace) { return trace.is_fit; });
}

/// With a fit over them, few data are seen one by one.
bool is_points(const Figure& figure, const Trace& trace) {
    if (trace.series->rows() == 1) return true;
    const bool few = has_fit(figure) && trace.series->rows() <= few_points;
    return !trace.is_fit && (few || figure.kind == FigureKind::points);
}

/// Whether the line turns so often that dashes would be lost in it.
bool is_rough(const Trace& trace) {
    const std::vector<double>& y = trace.series->columns[trace.column].values;
    std::size_t turns = 0;
    for (std::size_t row = 2; row < y.size(); ++row) turns += (y[row - 1] - y[row - 2]) * (y[row] - y[row - 1]) < 0;
    return turns > most_turns;
}

/// Points and rough lines first, then smooth ones, which would be lost beneath them; fits last.
std::vector<std::size_t> drawing_order(const Figure& figure) {
    const auto layer = [&](std::size_t at) {
        const Trace& trace = figure.traces[at];
        return trace.is_fit ? 2 : is_points(figure, trace) || is_rough(trace) ? 0 : 1;
    };
    std::vector<std::size_t> order(figure.traces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return layer(a) < layer(b); });
    return order;
}

void write_trace(std::ostream& script, std::size_t number, const Figure& figure) {
    const Trace& trace = figure.traces[number];
    script << "$data" << number << " using 1:2 with ";
    if (is_points(figure, trace)) {
        script << "points pointtype " << look_of(number).marker << " pointsize 0.9";
    } else if (is_rough(trace)) {
        script << "lines dashtype solid linewidth 1.2";
    } else {
        script << "lines dashtype " << dash_of(number) << " linewidth " << (trace.is_fit ? 2.6 : 2.0);
    }
    script << " linecolor rgb '" << look_of(number).colour << "' title " << gnuplot_text(trace.label);
}

bool needs_key(const Figure& figure) {
    return figure.traces.size() > 1;
}

}  // namespace

std::string plot_number(double value) {
    return std::isfinite(value) ? short_number(value, 10) : "NaN";
}

void write_note(std::ostream& script, int number, std::string_view text, std::string_view place) {
    script << "set label " << number << ' ' << gnuplot_text(text) << " noenhanced at screen " << place
           << " font ',10' textcolor rgb '#555555'\n";
}

void write_style(std::ostream& script, const Figure& figure) {
    script << "set encoding utf8\n"
              "set minussign\n"
              "set format '%h'\n"
              "set border 3 linecolor rgb '#333333' linewidth 1\n"
              "set tics nomirror out scale 0.7 textcolor rgb '#222222'\n"
              "set grid xtics ytics linetype 1 linecolor rgb '#DDDDDD' linewidth 1 dashtype solid\n"
              "set label 1000 "
           << gnuplot_text(figure.title) << " noenhanced at screen 0.5, screen 0.955 center font ',15'\n";
    if (!figure.source.empty()) write_note(script, 1001, "Source: " + figure.source, "0.985, screen 0.026 right");
}

void write_legend(std::ostream& script, const Figure& figure) {
    constexpr std::size_t line_pixels = 770, character_pixels = 8, sample_characters = 8;
    std::size_t longest = 0;
    for (const Trace& trace : figure.traces) longest = std::max(longest, trace.label.size());
    const std::size_t entry = (longest + sample_characters) * character_pixels;
    const std::size_t across = std::clamp<std::size_t>(line_pixels / entry, 1, figure.traces.size());
    const std::size_t rows = (figure.traces.size() + across - 1) / across;
    const bool beside = rows > 3 && longest <= 28;
    if (!needs_key(figure)) {
        script << "unset key\nset tmargin 3.2\n";
    } else if (beside) {
        script
            << "set key noenhanced samplen 4 spacing 1.15 outside right top vertical Left reverse\nset tmargin 3.2\n";
    } else {
        script << "set key noenhanced samplen 4 spacing 1.15 width 1 Left reverse horizontal maxcols " << across
               << " left bottom at graph 0, graph 1.015\nset tmargin " << 3.6 + 1.2 * static_cast<double>(rows) << '\n';
    }
    script << "set bmargin 5.2\n";
}

/// Of numbers m 10^e with m among `leading`, those on the axis.
std::vector<double> marks(const Axis& axis, std::initializer_list<int> leading) {
    std::vector<double> found;
    const int last = static_cast<int>(std::ceil(std::log10(*axis.most)));
    for (int exponent = static_cast<int>(std::floor(std::log10(*axis.least))); exponent <= last; ++exponent) {
        for (const int number : leading) {
            const double mark = number * std::pow(10.0, exponent);
            if (mark >= *axis.least && mark <= *axis.most) found.push_back(mark);
        }
    }
    return found;
}

/// Multiples, on the axis, of a round number that goes between three and ten times into it.
std::vector<double> equal_steps(const Axis& axis) {
    const double length = *axis.most - *axis.least;
    double step = std::pow(10.0, std::floor(std::log10(length)));
    for (const double finer : {2.0, 2.5}) {
        if (length / step < 3) step /= finer;
    }
    std::vector<double> found;
    for (double steps = std::ceil(*axis.least / step); steps * step <= *axis.most; ++steps)
        found.push_back(steps * step);
    return found;
}

/// Powers of ten, and on an axis with less than three of them, numbers between.
void write_logarithmic(std::ostream& script, std::string_view name, const Axis& axis) {
    constexpr std::size_t enough = 3;
    script << "set logscale " << name << " 10\nset format " << name << " '10^{%T}'\n";
    if (!axis.least || !axis.most || marks(axis, {1}).size() >= enough) return;
    std::vector<double> chosen = marks(axis, {1, 2, 5});
    if (chosen.size() < enough) chosen = equal_steps(axis);
    script << "set format " << name << " '%g'\nset " << name << "tics (";
    for (std::size_t at = 0; at < chosen.size(); ++at) {
        script << (at == 0 ? "" : ", ") << exact_number(chosen[at]);
    }
    script << ")\n";
}

void write_axis(std::ostream& script, std::string_view name, const Axis& axis, const std::string& label) {
    script << "set " << name << "label " << gnuplot_text(axis.label.empty() ? label : axis.label) << " noenhanced\n";
    if (axis.log) write_logarithmic(script, name, axis);
    if (axis.least && axis.most) {
        script << "set " << name << "range [" << exact_number(*axis.least) << ':' << exact_number(*axis.most) << "]\n";
    }
}

void write_lines(std::ostream& script, const Figure& figure) {
    const Trace& first = figure.traces.front();
    const Extent extent = extent_of(figure);
    write_axis(script, "x", shown(figure.x, extent.x, 0.01), first.series->columns.front().name);
    write_axis(script, "y", shown(figure.y, extent.y, 0.04),
               needs_key(figure) ? first.series->columns[first.column].name : first.label);
    for (std::size_t at = 0; at < figure.traces.size(); ++at) write_data(script, at, figure.traces[at], figure);
    script << "plot ";
    const char* between = "";
    for (const std::size_t at : drawing_order(figure)) {
        script << between;
        write_trace(script, at, figure);
        between = ", \\\n     ";
    }
    script << '\n';
}

}  // namespace farfield::report
