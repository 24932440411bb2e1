#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>

#include "report/draw.hpp"
#include "report/gnuplot.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

constexpr std::size_t most_cells = 400;   ///< a side; a picture has no more dots to show them with
constexpr std::size_t most_written = 12;  ///< a side; so few cells have room for their numbers
constexpr double dark_below = 0.62;       ///< of the colour scale; white letters are read better there
constexpr const char* masked = "#D9D9D9";

/// Viridis: even steps of lightness, the same order in grey and for all kinds of colour vision.
/// Source: van der Walt, Smith: matplotlib's viridis, 2015.
constexpr const char* viridis =
    "set palette defined (0 '#440154', 1 '#472D7B', 2 '#3B528B', 3 '#2C728E', 4 '#21918C', 5 '#28AE80', 6 '#5EC962', "
    "7 '#ADDC30', 8 '#FDE725')\n";

/// Values over evenly spaced queries (rows) and keys.
struct Map {
    std::size_t rows = 0, columns = 0;
    double first_row = 0, row_step = 1;
    double first_column = 0, column_step = 1;
    std::size_t block = 1;       ///< a cell is the mean of block x block values
    std::vector<double> values;  ///< [rows, columns]; NaN where nothing is to be seen
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    bool has_gaps = false;
};

std::vector<double> distinct(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

double step_of(const std::vector<double>& values) {
    return values.size() > 1 ? (values.back() - values.front()) / static_cast<double>(values.size() - 1) : 1;
}

std::size_t index_of(const std::vector<double>& values, double value) {
    return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin());
}

Map map_of(const Trace& trace, const Axis& z) {
    const core::Series& series = *trace.series;
    const std::vector<double> queries = distinct(series.columns[0].values), keys = distinct(series.columns[1].values);
    Map map;
    map.block = (std::max(queries.size(), keys.size()) + most_cells - 1) / most_cells;
    map.rows = (queries.size() + map.block - 1) / map.block;
    map.columns = (keys.size() + map.block - 1) / map.block;
    const double size = static_cast<double>(map.block);
    map.row_step = step_of(queries) * size;
    map.column_step = step_of(keys) * size;
    // The middle of the first block.
    map.first_row = queries.front() + step_of(queries) * (size - 1) / 2;
    map.first_column = keys.front() + step_of(keys) * (size - 1) / 2;
    std::vector<double> sums(map.rows * map.columns), counts(sums.size());
    for (std::size_t row = 0; row < series.rows(); ++row) {
        const double value = series.columns[trace.column].values[row];
        if (!std::isfinite(value) || (z.log && !(value > 0))) continue;
        const std::size_t cell = index_of(queries, series.columns[0].values[row]) / map.block * map.columns +
                                 index_of(keys, series.columns[1].values[row]) / map.block;
        sums[cell] += value;
        counts[cell] += 1;
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
        const double value = counts[cell] > 0 ? sums[cell] / counts[cell] : NAN;
        map.values.push_back(value);
        map.has_gaps = map.has_gaps || counts[cell] == 0;
        map.least = std::fmin(map.least, value);
        map.most = std::fmax(map.most, value);
    }
    return map;
}

bool has_room(const Map& map, std::size_t across) {
    return std::max(map.rows, map.columns) * across <= most_written;
}

bool is_tight(const Map& map, std::size_t across) {
    return std::max(map.rows, map.columns) * across > most_written / 2;
}

void write_numbers(std::ostream& script, std::size_t number, const Map& map, const Axis& colours, int digits) {
    const auto along = [&](double value) { return colours.log ? std::log(value) : value; };
    const double least = along(*colours.least), most = along(*colours.most);
    script << "$text" << number << " << END\n";
    for (std::size_t row = 0; row < map.rows; ++row) {
        for (std::size_t column = 0; column < map.columns; ++column) {
            const double value = map.values[row * map.columns + column];
            if (std::isnan(value)) continue;
            const bool dark = (along(value) - least) / (most - least) < dark_below;
            std::string text = short_number(value, digits);
            if (text.front() == '-') text.replace(0, 1, "\u2212");
            script << plot_number(map.first_column + map.column_step * static_cast<double>(column)) << ' '
                   << plot_number(map.first_row + map.row_step * static_cast<double>(row)) << ' ' << text << ' '
                   << (dark ? 0xFFFFFF : 0) << '\n';
        }
    }
    script << "END\n";
}

void write_values(std::ostream& script, std::size_t number, const Map& map) {
    script << "$map" << number << " << END\n";
    for (std::size_t row = 0; row < map.rows; ++row) {
        for (std::size_t column = 0; column < map.columns; ++column) {
            script << (column ? " " : "") << plot_number(map.values[row * map.columns + column]);
        }
        script << '\n';
    }
    script << "END\n";
}

std::string range(double first, double step, std::size_t count, bool downwards) {
    const double low = first - step / 2, high = first + step * (static_cast<double>(count) - 0.5);
    return "[" + exact_number(downwards ? high : low) + ":" + exact_number(downwards ? low : high) + "]";
}

/// What the colours do not tell: blocks and grey cells.
std::string remark(const Map& map) {
    std::string text;
    if (map.block > 1)
        text =
            "each cell is the mean of " + std::to_string(map.block) + "\u00d7" + std::to_string(map.block) + " values";
    if (map.has_gaps) text += std::string(text.empty() ? "" : "; ") + "grey: masked";
    return text;
}

/// Where the maps stand in the picture, in its pixels; `side` is that of a map's square.
struct Layout {
    static constexpr double width = 880, above = 92, below = 96, left = 84, right = 110, gap_x = 46, gap_y = 64;
    std::size_t across = 1, down = 1;
    double side = 400;

    double height() const {
        return above + below + side * static_cast<double>(down) + gap_y * static_cast<double>(down - 1);
    }
    double used_width() const { return side * static_cast<double>(across) + gap_x * static_cast<double>(across - 1); }
    /// The left edge of a column, centred as a whole.
    double column(std::size_t at) const {
        const double first = left + (width - left - right - used_width()) / 2;
        return first + (side + gap_x) * static_cast<double>(at);
    }
    /// The lower edge of a row, from below.
    double row(std::size_t at) const { return below + (side + gap_y) * static_cast<double>(down - 1 - at); }
};

Layout layout_of(const Figure& figure) {
    Layout layout;
    const std::size_t count = std::max<std::size_t>(1, figure.traces.size());
    layout.across = count <= 3 ? count : count == 4 ? 2 : 3;
    layout.down = (count + layout.across - 1) / layout.across;
    const double room =
        Layout::width - Layout::left - Layout::right - Layout::gap_x * static_cast<double>(layout.across - 1);
    layout.side = std::min(layout.side, room / static_cast<double>(layout.across));
    return layout;
}

std::string screen(double pixels, double of) {
    return "screen " + short_number(pixels / of, 8);
}

/// Labels stand at the outer sides alone, the colours' scale at the right of the first row.
void write_place(std::ostream& script, const Layout& layout, std::size_t number, std::size_t count) {
    const std::size_t column = number % layout.across, row = number / layout.across;
    const double x = layout.column(column), y = layout.row(row), height = layout.height();
    script << "set lmargin at " << screen(x, Layout::width) << "\nset rmargin at "
           << screen(x + layout.side, Layout::width) << "\nset bmargin at " << screen(y, height) << "\nset tmargin at "
           << screen(y + layout.side, height) << '\n';
    if (number == 0) {
        script << "set colorbox user origin "
               << screen(layout.column(layout.across - 1) + layout.side + 16, Layout::width) << ", "
               << screen(layout.row(0), height) << " size " << screen(16, Layout::width) << ", "
               << screen(layout.side, height) << '\n';
    } else {
        script << "unset colorbox\nunset label\n";
    }
    if (column > 0) script << "unset ylabel\n";
    if (number + layout.across < count) script << "set xlabel ''\n";
}

/// The language's variables q and k in words.
std::string position_name(const std::string& column) {
    if (column == "q") return "query position q";
    return column == "k" ? "key position k" : column;
}

void write_map(std::ostream& script, const Figure& figure, std::size_t number, const Map& map) {
    const Trace& trace = figure.traces[number];
    const Layout layout = layout_of(figure);
    write_axis(script, "x", {figure.x.label, false, {}, {}}, position_name(trace.series->columns[1].name));
    write_axis(script, "y", {figure.y.label, false, {}, {}}, position_name(trace.series->columns[0].name));
    write_place(script, layout, number, figure.traces.size());
    if (figure.traces.size() > 1) script << "set title " << gnuplot_text(trace.label) << " noenhanced offset 0,-0.4\n";
    script << "set xrange " << range(map.first_column, map.column_step, map.columns, false) << '\n'
           << "set yrange " << range(map.first_row, map.row_step, map.rows, true) << '\n'
           << "set xtics autofreq\nset ytics autofreq\n";
    if (map.columns <= most_written) script << "set xtics " << exact_number(map.column_step) << '\n';
    if (map.rows <= most_written) script << "set ytics " << exact_number(map.row_step) << '\n';
    script << "plot $map" << number << " matrix using (" << exact_number(map.first_column) << "+$1*"
           << exact_number(map.column_step) << "):(" << exact_number(map.first_row) << "+$2*"
           << exact_number(map.row_step) << "):3 with image notitle";
    if (has_room(map, layout.across)) {
        script << ", $text" << number << " using 1:2:3:4 with labels textcolor rgb variable font ',"
               << (is_tight(map, layout.across) ? 8 : 10) << "' notitle";
    }
    script << '\n';
}

/// One scale for all maps, so that they can be compared.
Axis colours_of(const Figure& figure, const std::vector<Map>& maps) {
    Axis axis = figure.z;
    if (axis.least) return axis;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const Map& map : maps) {
        least = std::min(least, map.least);
        most = std::max(most, map.most);
    }
    if (!(least <= most)) least = 0, most = 1;
    if (least == most && axis.log) most = least * 10;
    if (least == most) most = least + 1;
    axis.least = least;
    axis.most = most;
    return axis;
}

}  // namespace

int picture_height(const Figure& figure) {
    return figure.kind == FigureKind::heatmap ? static_cast<int>(layout_of(figure).height()) : 560;
}

void write_heatmaps(std::ostream& script, const Figure& figure) {
    const std::size_t count = figure.traces.size(), across = layout_of(figure).across;
    std::vector<Map> maps;
    for (const Trace& trace : figure.traces) maps.push_back(map_of(trace, figure.z));
    const Axis colours = colours_of(figure, maps);
    script << viridis << "unset key\nunset grid\nset border 15\nset size ratio -1\nset cblabel offset 1.5,0\n"
           << "set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid noborder "
              "fillcolor rgb '"
           << masked << "'\n";
    write_axis(script, "cb", colours, count == 1 ? figure.traces.front().label : "");
    const std::string note = remark(maps.front());
    if (!note.empty()) write_note(script, 1002, note, "0.015, screen 0.026 left");
    for (std::size_t at = 0; at < count; ++at) {
        write_values(script, at, maps[at]);
        if (has_room(maps[at], across))
            write_numbers(script, at, maps[at], colours, is_tight(maps[at], across) ? 2 : 3);
    }
    script << "set multiplot\n";
    for (std::size_t at = 0; at < count; ++at) write_map(script, figure, at, maps[at]);
    script << "unset multiplot\n";
}

}  // namespace farfield::report
