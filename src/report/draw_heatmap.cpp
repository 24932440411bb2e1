#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <ostream>

#include "report/draw.hpp"
#include "report/labels.hpp"
#include "report/layout.hpp"
#include "report/metrics.hpp"
#include "report/text.hpp"

namespace farfield::report {
namespace {

constexpr std::size_t most_cells = 400;   ///< per side; a picture has no more pixels
constexpr std::size_t most_written = 12;  ///< per side; with at most this many cells there is room for their numbers
constexpr const char* grey = "#D9D9D9";

/// Why a value has no colour, and what a remark calls it. A logit of -inf is that of a masked key.
struct Absence {
    const char* name;
    bool (*applies)(double value, bool log);
};
constexpr std::array<Absence, 3> absences = {{
    {"masked", [](double value, bool) { return std::isnan(value) || value == -HUGE_VAL; }},
    {"infinite", [](double value, bool) { return value == HUGE_VAL; }},
    {"not above 0", [](double value, bool log) { return log && std::isfinite(value) && !(value > 0); }},
}};
using Absences = std::bitset<absences.size()>;

Absences absences_of(double value, bool log) {
    Absences found;
    for (std::size_t at = 0; at < absences.size(); ++at) found[at] = absences[at].applies(value, log);
    return found;
}

/// Viridis: its lightness increases evenly, so that the order is the same in grey and for all kinds of colour vision.
/// Source: van der Walt, Smith: matplotlib's viridis, 2015.
constexpr std::array<unsigned, 9> viridis = {0x440154, 0x472D7B, 0x3B528B, 0x2C728E, 0x21918C,
                                             0x28AE80, 0x5EC962, 0xADDC30, 0xFDE725};

std::string palette() {
    std::string text = "set palette defined (";
    for (std::size_t at = 0; at < viridis.size(); ++at)
        text += fmt::format("{}{} '#{:06X}'", at == 0 ? "" : ", ", at, viridis[at]);
    return text + ")\n";
}

/// A channel of the colour at a share of the scale, from 0 to 1. Source: the palette is linear between its colours.
double channel(double share, int shift) {
    const double place = std::clamp(share, 0.0, 1.0) * static_cast<double>(viridis.size() - 1);
    const std::size_t below = std::min(viridis.size() - 2, static_cast<std::size_t>(place));
    const auto of = [&](std::size_t at) { return static_cast<double>(viridis[at] >> shift & 255U) / 255; };
    return of(below) + (of(below + 1) - of(below)) * (place - static_cast<double>(below));
}

/// Whether white letters have more contrast than black ones on that colour, which is the case below a relative
/// luminance of sqrt(1.05*0.05) - 0.05. Source: WCAG 2.1, contrast ratio and relative luminance.
bool is_dark(double share) {
    const auto linear = [](double value) {
        return value <= 0.03928 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    };
    const double luminance =
        0.2126 * linear(channel(share, 16)) + 0.7152 * linear(channel(share, 8)) + 0.0722 * linear(channel(share, 0));
    return luminance + 0.05 < std::sqrt(1.05 * 0.05);
}

/// Values over evenly spaced queries (rows) and keys.
struct Map {
    std::size_t rows = 0, columns = 0;
    double first_row = 0, row_step = 1;
    double first_column = 0, column_step = 1;
    std::size_t block = 1;       ///< a cell is the mean of block x block values, or of those that have a colour
    bool has_parts = false;      ///< whether some cells are means of fewer
    std::vector<double> values;  ///< [rows, columns]; NaN where there is no value
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();
    Absences grey;  ///< the reasons of its grey cells
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
    std::vector<Absences> missing(sums.size());
    for (std::size_t row = 0; row < series.rows(); ++row) {
        const double value = series.columns[trace.column].values[row];
        const std::size_t cell = index_of(queries, series.columns[0].values[row]) / map.block * map.columns +
                                 index_of(keys, series.columns[1].values[row]) / map.block;
        const Absences why = absences_of(value, z.log);
        missing[cell] |= why;
        if (why.any()) continue;
        sums[cell] += value;
        counts[cell] += 1;
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
        const double value = counts[cell] > 0 ? sums[cell] / counts[cell] : NAN;
        map.values.push_back(value);
        if (counts[cell] == 0) map.grey |= missing[cell];
        map.has_parts = map.has_parts || counts[cell] < size * size;
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
            const bool dark = is_dark((along(value) - least) / (most - least));
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

/// A remark on what the colours do not show: blocks and grey cells.
std::string remark(const std::vector<Map>& maps) {
    Absences why;
    std::size_t block = 1;
    bool is_exact = true;
    for (const Map& map : maps) {
        why |= map.grey;
        block = std::max(block, map.block);
        is_exact = is_exact && !map.has_parts && map.block == maps.front().block;
    }
    std::string text;
    if (block > 1)
        text = fmt::format("each cell is the mean of {}{}\u00d7{} values", is_exact ? "" : "at most ", block, block);
    if (why.none()) return text;
    std::string names;
    for (std::size_t at = 0; at < absences.size(); ++at)
        if (why[at]) names += (names.empty() ? "" : " or ") + std::string(absences[at].name);
    return text + (text.empty() ? "" : "; ") + "grey: " + names;
}

/// The places of the maps in the picture; `side` is the side of a map's square.
struct MapLayout {
    static constexpr double gap_x = 46, most_side = 400, scale_width = 16;
    std::size_t across = 1, down = 1;
    double side = most_side;
    double first = 0;       ///< left edge of the maps
    double top = 0;         ///< of the first row
    double row_height = 0;  ///< from the top of a row of maps to that of the next
    double height = 0;
    std::vector<Text> texts;
    std::vector<Tick> scale_ticks;

    double left(std::size_t at) const { return first + (side + gap_x) * static_cast<double>(at % across); }
    double upper(std::size_t at) const {
        const std::size_t row = at / across;
        return top + row_height * static_cast<double>(row);
    }
    double right() const { return left(across - 1) + side; }
};

/// Ends and marks of the queries or keys of a map.
struct Places {
    Axis axis;
    std::vector<Tick> ticks;
};

/// If there are few cells, each has a mark if there is room.
Places places_of(double first, double step, std::size_t count, double pixels, bool horizontal) {
    Places places;
    places.axis.least = first - step / 2;
    places.axis.most = first + step * (static_cast<double>(count) - 0.5);
    std::vector<double> cells;
    for (std::size_t at = 0; at < count && count <= most_written; ++at)
        cells.push_back(first + step * static_cast<double>(at));
    if (horizontal) {
        places.ticks = horizontal_ticks(places.axis, pixels, cells);
    } else if (cells.empty() || pixels / static_cast<double>(count) < tick_size * 1.4) {
        places.ticks = vertical_ticks(places.axis, pixels);
    } else {
        places.ticks = cell_ticks(cells);
    }
    return places;
}

/// The language's variables q and k in words.
std::string position_words(const std::string& asked, const std::string& column) {
    return asked.empty() ? axis_words("matrix", column) : asked;
}

/// Labels are only at the outer sides, and the colour scale is to the right of the first row.
class MapArranger {
public:
    MapArranger(const Figure& figure, const std::vector<Map>& maps, const Axis& colours)
        : figure_(figure), maps_(maps), colours_(colours) {}

    MapLayout run() {
        const std::size_t count = std::max<std::size_t>(1, maps_.size());
        layout_.across = count <= 3 ? count : count == 4 ? 2 : 3;
        layout_.down = (count + layout_.across - 1) / layout_.across;
        find_sides();
        add_heads();
        add_words();
        const Trace& first = figure_.traces.front();
        const std::string& column = first.series->columns[1].name;
        double y = layout_.upper(layout_.across * (layout_.down - 1)) + layout_.side + 44;
        const std::vector<std::string> lines =
            wrapped(position_words(figure_.x.label, column), label_size, layout_.right() - layout_.first);
        y = add_lines(layout_.texts, lines, {"", (layout_.first + layout_.right()) / 2, y, Align::centre, label_size});
        layout_.height = add_notes(layout_.texts, figure_, remark(maps_), y - label_size / 2);
        return std::move(layout_);
    }

private:
    void find_sides() {
        double ticks = 0;
        for (const Map& map : maps_)
            for (const Tick& tick : places_of(map.first_row, map.row_step, map.rows, 400, false).ticks)
                ticks = std::max(ticks, text_width(tick.text, tick_size));
        layout_.scale_ticks = vertical_ticks(colours_, 180);
        double scale = 0;
        for (const Tick& tick : layout_.scale_ticks) scale = std::max(scale, text_width(tick.text, tick_size));
        scale_ticks_width_ = scale;
        const double left = 12 + 26 + ticks + 18;
        const double right = 16 + MapLayout::scale_width + 12 + scale + 30 + 12;
        const double across = static_cast<double>(layout_.across);
        const double room = picture_width - left - right - MapLayout::gap_x * (across - 1);
        layout_.side = std::min(MapLayout::most_side, room / across);
        layout_.first = left + (room - layout_.side * across) / 2;
        words_x_ = layout_.first - ticks - 18 - 12;
        if (layout_.side > 250) layout_.scale_ticks = vertical_ticks(colours_, layout_.side);
    }

    /// Title, and the names of several maps above each.
    void add_heads() {
        std::vector<std::vector<std::string>> names;
        std::size_t lines = 0;
        for (std::size_t at = 0; maps_.size() > 1 && at < maps_.size(); ++at) {
            names.push_back(wrapped(figure_.traces[at].label, tick_size, layout_.side));
            lines = std::max(lines, names.back().size());
        }
        const double head = 17 * static_cast<double>(lines) + 10;
        layout_.top = add_title(layout_.texts, figure_) + 6 + head;
        layout_.row_height = layout_.side + head + 40;
        for (std::size_t at = 0; at < names.size(); ++at)
            add_lines(
                layout_.texts, names[at],
                {"", layout_.left(at) + layout_.side / 2, layout_.upper(at) - head + 8, Align::centre, tick_size});
    }

    void add_upright(const std::string& words, double x, double y, double room, double step) {
        for (const std::string& line : wrapped(words, label_size, room)) {
            layout_.texts.push_back({line, x, y, Align::centre, label_size, "#222222", true});
            x += step;
        }
    }

    void add_words() {
        const double rows = layout_.row_height * static_cast<double>(layout_.down - 1) + layout_.side;
        add_upright(position_words(figure_.y.label, figure_.traces.front().series->columns[0].name), words_x_,
                    layout_.top + rows / 2, rows, -17);
        const std::string words = !figure_.z.label.empty() ? figure_.z.label
                                  : maps_.size() == 1      ? figure_.traces.front().label
                                                           : "";
        add_upright(words, layout_.right() + 16 + MapLayout::scale_width + 12 + scale_ticks_width_ + 14,
                    layout_.top + layout_.side / 2, layout_.side, 17);
    }

    const Figure& figure_;
    const std::vector<Map>& maps_;
    const Axis& colours_;
    MapLayout layout_;
    double words_x_ = 0;
    double scale_ticks_width_ = 0;
};

/// The scale of the colours is next to the first row.
void write_scale(std::ostream& script, const MapLayout& layout, const Axis& colours) {
    if (colours.log) script << "set logscale cb 10\n";
    script << "set cbrange [" << exact_number(*colours.least) << ':' << exact_number(*colours.most) << "]\n";
    write_ticks(script, "cb", layout.scale_ticks);
    script << "set colorbox user origin " << screen(layout.right() + 16, picture_width) << ", "
           << screen(layout.height - layout.top - layout.side, layout.height) << " size "
           << screen(MapLayout::scale_width, picture_width) << ", " << screen(layout.side, layout.height) << '\n';
}

void write_map(std::ostream& script, std::size_t number, const Map& map, const MapLayout& layout) {
    const Places keys = places_of(map.first_column, map.column_step, map.columns, layout.side, true);
    const Places queries = places_of(map.first_row, map.row_step, map.rows, layout.side, false);
    write_margins(script, {layout.left(number), layout.upper(number), layout.side, layout.side}, layout.height);
    script << "set xrange " << range(map.first_column, map.column_step, map.columns, false) << '\n'
           << "set yrange " << range(map.first_row, map.row_step, map.rows, true) << '\n';
    write_ticks(script, "x", keys.ticks);
    write_ticks(script, "y", queries.ticks);
    script << "plot $map" << number << " matrix using (" << exact_number(map.first_column) << "+$1*"
           << exact_number(map.column_step) << "):(" << exact_number(map.first_row) << "+$2*"
           << exact_number(map.row_step) << "):3 with image notitle";
    if (has_room(map, layout.across)) {
        script << ", $text" << number << " using 1:2:3:4 with labels textcolor rgb variable font ',"
               << (is_tight(map, layout.across) ? 8 : 10) << "' notitle";
    }
    script << "\nunset label\nunset colorbox\n";
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
    if (!(least <= most)) least = most = axis.log ? 1 : 0;
    if (least == most) most = axis.log ? least * 10 : std::max(least + 1, std::nextafter(least, HUGE_VAL));
    axis.least = least;
    axis.most = most;
    return axis;
}

/// The maps of a figure with their scale and places.
struct Arranged {
    std::vector<Map> maps;
    Axis colours;
    MapLayout layout;
};

Arranged arranged(const Figure& figure) {
    Arranged result;
    for (const Trace& trace : figure.traces) result.maps.push_back(map_of(trace, figure.z));
    result.colours = colours_of(figure, result.maps);
    result.layout = MapArranger(figure, result.maps, result.colours).run();
    return result;
}

}  // namespace

int picture_height(const Figure& figure) {
    return static_cast<int>(figure.kind == FigureKind::heatmap ? arranged(figure).layout.height
                                                               : layout_of(figure).height);
}

void write_heatmaps(std::ostream& script, const Figure& figure) {
    const auto [maps, colours, layout] = arranged(figure);
    script << palette() << "unset grid\nset border 15\nset size ratio -1\n"
           << "set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid noborder "
              "fillcolor rgb '"
           << grey << "'\n";
    write_scale(script, layout, colours);
    write_texts(script, layout.texts, layout.height);
    for (std::size_t at = 0; at < maps.size(); ++at) {
        write_values(script, at, maps[at]);
        if (has_room(maps[at], layout.across))
            write_numbers(script, at, maps[at], colours, is_tight(maps[at], layout.across) ? 2 : 3);
    }
    script << "set multiplot\n";
    for (std::size_t at = 0; at < maps.size(); ++at) write_map(script, at, maps[at], layout);
    script << "unset multiplot\n";
}

}  // namespace farfield::report
