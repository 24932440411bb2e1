#include "report/traces.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace farfield::report {
namespace {

constexpr std::size_t few_points = 60;     ///< with at most this many data, each point is drawn next to a fitted curve
constexpr std::size_t sparse_points = 40;  ///< with at most this many rows, each has a marker on a line
constexpr std::size_t most_turns = 60;     ///< turning points of a line that is still smooth: one per dozen pixels
constexpr double points_per_pixel = 2;     ///< from this density on, a rough line is a band

/// Source: Okabe, Ito: Color Universal Design, 2008.
constexpr Look looks[] = {
    {"#0072B2", "solid", 7}, {"#D55E00", "(12,5)", 5},          {"#009E73", "(3,4)", 9},  {"#CC79A7", "(14,4,3,4)", 13},
    {"#000000", "(6,3)", 6}, {"#E69F00", "(14,4,3,4,3,4)", 11}, {"#56B4E9", "(20,4)", 4},
};

bool has_fit(const Figure& figure) {
    return std::any_of(figure.traces.begin(), figure.traces.end(), [](const Trace& trace) { return trace.is_fit; });
}

bool is_points(const Figure& figure, const Trace& trace) {
    if (trace.series->rows() == 1) return true;
    const bool few = has_fit(figure) && trace.series->rows() <= few_points;
    return !trace.is_fit && (few || figure.kind == FigureKind::points);
}

/// Whether the line has so many turning points that dashes would be invisible.
bool is_rough(const Trace& trace) {
    const std::vector<double>& y = trace.series->columns[trace.column].values;
    std::size_t turns = 0;
    for (std::size_t row = 2; row < y.size(); ++row) turns += (y[row - 1] - y[row - 2]) * (y[row] - y[row - 1]) < 0;
    return turns > most_turns;
}

/// The number of rows that are visible in the picture.
std::size_t shown_rows(const Figure& figure, const Trace& trace) {
    const std::vector<double>& x = trace.series->columns.front().values;
    return static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [&](double value) {
        if (!is_drawable(value, figure.x)) return false;
        return !figure.x.least || (value >= *figure.x.least && value <= *figure.x.most);
    }));
}

/// One coordinate of a line between two points.
struct Stretch {
    double from = 0, to = 0;
    const Axis* axis = nullptr;
};

/// The part of a line, as shares of its length.
struct Part {
    double first = 0, last = 1;

    bool is_empty() const { return !(first <= last); }
};

/// The part at which the coordinate is between the ends of its axis.
Part part_within(const Stretch& stretch) {
    const Axis& axis = *stretch.axis;
    const auto along = [&](double value) { return axis.log ? std::log(value) : value; };
    const double start = along(stretch.from), length = along(stretch.to) - start;
    const double low = axis.least ? along(*axis.least) : -HUGE_VAL, high = axis.most ? along(*axis.most) : HUGE_VAL;
    if (length == 0) return start >= low && start <= high ? Part{} : Part{1, 0};
    const double at_low = (low - start) / length, at_high = (high - start) / length;
    return {std::max(0.0, std::min(at_low, at_high)), std::min(1.0, std::max(at_low, at_high))};
}

bool crosses(const Stretch& across, const Stretch& up) {
    const Part x = part_within(across), y = part_within(up);
    return !Part{std::max(x.first, y.first), std::min(x.last, y.last)}.is_empty();
}

}  // namespace

bool is_shown(const Figure& figure, const Trace& trace, const Axis& x_axis, const Axis& y_axis) {
    const std::vector<double>& x = trace.series->columns.front().values;
    const std::vector<double>& y = trace.series->columns[trace.column].values;
    const bool has_lines = !is_points(figure, trace);
    std::optional<std::size_t> before;
    for (std::size_t row = 0; row < x.size(); ++row) {
        if (!is_drawable(x[row], x_axis)) continue;
        if (!is_drawable(y[row], y_axis)) {
            before.reset();
            continue;
        }
        const std::size_t from = has_lines ? before.value_or(row) : row;
        if (crosses({x[from], x[row], &x_axis}, {y[from], y[row], &y_axis})) return true;
        before = row;
    }
    return false;
}

std::optional<std::string> shared_y_words(const Figure& figure) {
    std::optional<std::string> shared;
    for (const Trace& trace : figure.traces) {
        const std::string& column = trace.series->columns[trace.column].name;
        if (trace.y_words.empty() || trace.y_words == column || trace.y_words == "value") continue;
        if (shared && *shared != trace.y_words) return std::nullopt;
        shared = trace.y_words;
    }
    if (shared || figure.traces.empty()) return shared.value_or("");
    const Trace& first = figure.traces.front();
    return first.y_words.empty() ? first.series->columns[first.column].name : first.y_words;
}

Look look_of(const Figure& figure, std::size_t trace) {
    const std::size_t at = figure.traces[trace].look.value_or(trace);
    Look look = looks[at % std::size(looks)];
    look.dash = looks[(at + at / std::size(looks)) % std::size(looks)].dash;
    return look;
}

Style style_of(const Figure& figure, const Trace& trace, double pixels) {
    if (is_points(figure, trace)) return Style::points;
    if (trace.is_fit || !is_rough(trace)) return Style::line;
    const bool is_dense = static_cast<double>(shown_rows(figure, trace)) > points_per_pixel * pixels;
    return is_dense ? Style::envelope : Style::rough;
}

bool is_sparse(const Trace& trace) {
    return trace.series->rows() <= sparse_points;
}

bool is_drawable(double value, const Axis& axis) {
    return std::isfinite(value) && !(axis.log && !(value > 0));
}

std::vector<std::size_t> drawing_order(const Figure& figure, std::size_t panel, double pixels) {
    const auto layer = [&](std::size_t at) {
        const Trace& trace = figure.traces[at];
        const Style style = style_of(figure, trace, pixels);
        return trace.is_fit ? 3 : style == Style::line ? 2 : style == Style::envelope ? 0 : 1;
    };
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < figure.traces.size(); ++at)
        if (figure.traces[at].panel == panel) order.push_back(at);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return layer(a) < layer(b); });
    return order;
}

}  // namespace farfield::report
