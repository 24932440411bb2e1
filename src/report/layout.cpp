#include "report/layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ostream>
#include <set>

#include "report/gnuplot.hpp"
#include "report/metrics.hpp"
#include "report/point_names.hpp"
#include "report/text.hpp"
#include "report/traces.hpp"

namespace farfield::report {
namespace {

/// What an axis counts according to its label: the plural in brackets at its end, as in "context (bytes)".
std::string unit_of(const std::string& label, const std::string& otherwise) {
    const std::size_t open = label.rfind('(');
    if (open == std::string::npos || !label.ends_with("s)")) return otherwise;
    const std::string unit = label.substr(open + 1, label.size() - open - 2);
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    return std::all_of(unit.begin(), unit.end(), is_small) ? unit : otherwise;
}

constexpr double edge = 12;            ///< around the picture
constexpr double line_height = 1.35;   ///< of a text, in its size
constexpr double tick_gap = 18;        ///< from an axis to the texts at its marks, as in gnuplot
constexpr double tick_room = 32;       ///< from an axis to what is below the texts at its marks
constexpr double row_height = 20;      ///< of the legend
constexpr double beside_width = 230;   ///< of a legend beside the panels, at most
constexpr double plot_height = 400;    ///< of a panel alone
constexpr std::size_t most_above = 4;  ///< entries of a legend above the panels
constexpr std::size_t most_measured = 16;

struct Range {
    double least = std::numeric_limits<double>::infinity();
    double most = -std::numeric_limits<double>::infinity();

    void include(double value) {
        least = std::min(least, value);
        most = std::max(most, value);
    }
};

/// The axis with ends: the requested ones, or those of the points with a small margin.
Axis with_ends(Axis axis, const Range& range, double air) {
    if (axis.least) return axis;
    if (!(range.least <= range.most)) {
        axis.least = axis.log ? 1 : 0;
        axis.most = axis.log ? 10 : 1;
        return axis;
    }
    const double low = axis.log ? std::log(range.least) : range.least;
    const double high = axis.log ? std::log(range.most) : range.most;
    const double level = axis.log ? 0.5 : low == 0 ? 1 : std::fabs(low) * 0.1;
    const double margin = high > low ? (high - low) * air : level;
    using Limits = std::numeric_limits<double>;
    axis.least =
        axis.log ? std::max(std::exp(low - margin), Limits::denorm_min()) : std::max(low - margin, Limits::lowest());
    axis.most = std::min(axis.log ? std::exp(high + margin) : high + margin, Limits::max());
    return axis;
}

double line_of(double size) {
    return size * line_height;
}

double widest(const std::vector<Tick>& ticks) {
    double width = 0;
    for (const Tick& tick : ticks) width = std::max(width, text_width(tick.text, tick_size));
    return width;
}

/// Arranges the parts of a picture below each other.
class Arranger {
public:
    explicit Arranger(const Figure& figure) : figure_(figure) {
        count_ = std::max<std::size_t>(1, figure.panels.size());
        across_ = count_ <= 3 ? count_ : count_ == 4 ? 2 : 3;
        down_ = (count_ + across_ - 1) / across_;
    }

    Layout run() {
        find_axes();
        y_ = add_title(layout_.texts, figure_) + 6;
        add_legend();
        add_panels();
        add_names();
        layout_.height = add_notes(layout_.texts, figure_, remark(), y_);
        return std::move(layout_);
    }

private:
    bool is_of(const Trace& trace, std::size_t panel) const { return trace.panel == panel; }

    /// Whether every trace has few rows, like measurements at some lengths.
    bool is_sparse_panel(std::size_t panel) const {
        return std::all_of(figure_.traces.begin(), figure_.traces.end(),
                           [&](const Trace& trace) { return !is_of(trace, panel) || is_sparse(trace); });
    }

    void include(const Trace& trace, Range& x_range, Range& y_range) const {
        const std::vector<double>& x = trace.series->columns.front().values;
        const std::vector<double>& y = trace.series->columns[trace.column].values;
        for (std::size_t row = 0; row < x.size(); ++row) {
            if (!is_drawable(x[row], figure_.x) || !is_drawable(y[row], figure_.y)) continue;
            if (figure_.x.least && !(x[row] >= *figure_.x.least && x[row] <= *figure_.x.most)) continue;
            x_range.include(x[row]);
            y_range.include(y[row]);
            if (!trace.deviation) continue;
            const double deviation = trace.series->columns[*trace.deviation].values[row];
            for (const double end : {y[row] - deviation, y[row] + deviation})
                if (is_drawable(end, figure_.y)) y_range.include(end);
        }
    }

    void find_axes() {
        Range all_x, all_y;
        for (const Trace& trace : figure_.traces) include(trace, all_x, all_y);
        for (std::size_t panel = 0; panel < count_; ++panel) {
            Range x, y;
            for (const Trace& trace : figure_.traces)
                if (is_of(trace, panel)) include(trace, x, y);
            PanelPlace place;
            place.x = with_ends(figure_.x, figure_.shared_y ? all_x : x, is_sparse_panel(panel) ? 0.03 : 0.01);
            place.y = with_ends(figure_.y, figure_.shared_y ? all_y : y, 0.04);
            place.trained = trained_lengths(panel, place.x);
            layout_.panels.push_back(std::move(place));
        }
    }

    std::vector<double> trained_lengths(std::size_t panel, const Axis& x) const {
        std::set<double> lengths;
        for (const Trace& trace : figure_.traces) {
            const double length = trace.trained_length;
            if (is_of(trace, panel) && length > 0 && length >= *x.least && length <= *x.most) lengths.insert(length);
        }
        return {lengths.begin(), lengths.end()};
    }

    /// The traces that have entries: the first of each look.
    std::vector<std::size_t> entries() const {
        std::vector<std::size_t> found;
        std::set<std::size_t> seen;
        for (std::size_t at = 0; at < figure_.traces.size(); ++at)
            if (seen.insert(figure_.traces[at].look.value_or(at)).second) found.push_back(at);
        const bool is_named = found.size() < 2 || figure_.traces[found[0]].label.empty();
        return is_named ? std::vector<std::size_t>() : found;
    }

    double add_entry(std::size_t trace, const std::vector<std::string>& lines, double x, double y) {
        layout_.samples.push_back({trace, x, y});
        add_lines(layout_.texts, lines, {"", x + sample_width + 8, y, Align::left, tick_size});
        return y + row_height + line_of(tick_size) * static_cast<double>(lines.size() - 1);
    }

    void add_legend() {
        const std::vector<std::size_t> all = entries();
        if (all.size() > most_above)
            add_legend_beside(all);
        else if (!all.empty())
            add_legend_above(all);
    }

    void add_legend_above(const std::vector<std::size_t>& all) {
        constexpr double room = picture_width - 2 * edge;
        double x = edge, next = y_ + row_height;
        for (const std::size_t trace : all) {
            const std::vector<std::string> lines =
                wrapped(figure_.traces[trace].label, tick_size, room - sample_width - 8);
            double width = 0;
            for (const std::string& line : lines) width = std::max(width, text_width(line, tick_size));
            width += sample_width + 8;
            if (x > edge && x + width > picture_width - edge) x = edge, y_ = next;
            next = std::max(next, add_entry(trace, lines, x, y_ + row_height / 2) - row_height / 2);
            x += width + 24;
        }
        y_ = next;
    }

    void add_legend_beside(const std::vector<std::size_t>& all) {
        std::vector<std::vector<std::string>> texts;
        double width = 0;
        for (const std::size_t trace : all) {
            texts.push_back(wrapped(figure_.traces[trace].label, tick_size, beside_width - sample_width - 8));
            for (const std::string& line : texts.back()) width = std::max(width, text_width(line, tick_size));
        }
        right_ = edge + sample_width + 8 + width + 18;
        double y = y_ + 24;
        for (std::size_t at = 0; at < all.size(); ++at)
            y = add_entry(all[at], texts[at], picture_width - right_ + 18, y);
        least_bottom_ = y;
    }

    std::string x_words() const {
        if (!figure_.x.label.empty() || figure_.traces.empty()) return figure_.x.label;
        // The curve of a formula has no words for its variable, and another series of the figure may have them.
        for (const Trace& trace : figure_.traces)
            if (trace.variable_in_words() != trace.variable()) return trace.variable_in_words();
        return figure_.traces.front().variable();
    }

    std::string y_words() const {
        if (!figure_.y.label.empty() || figure_.traces.empty() || !figure_.shared_y) return figure_.y.label;
        const Trace& first = figure_.traces.front();
        const std::optional<std::string> words = shared_y_words(figure_);
        if (!words) return "";
        return figure_.traces.size() == 1 && *words == "value" ? first.label : *words;
    }

    double panel_height() const {
        return down_ == 1 && across_ == 1   ? plot_height
               : across_ == 2 && down_ == 1 ? 300.0
               : down_ == 1                 ? 240.0
                                            : 210.0;
    }

    /// The values at which the few rows of a panel were measured.
    std::vector<double> measured(std::size_t panel) const {
        std::set<double> values;
        if (figure_.kind == FigureKind::points || !is_sparse_panel(panel)) return {};
        for (const Trace& trace : figure_.traces)
            if (is_of(trace, panel))
                for (const double x : trace.series->columns.front().values)
                    if (is_drawable(x, figure_.x)) values.insert(x);
        return values.size() <= most_measured ? std::vector<double>(values.begin(), values.end())
                                              : std::vector<double>();
    }

    /// The text above a line at a trained length.
    std::string trained_text(double length) const {
        return "trained on " + short_number(length, 10) + ' ' + unit_of(figure_.x.label, "tokens");
    }

    /// The number of rows of such texts above each panel; texts that would touch are above each other.
    std::size_t trained_rows() const {
        std::size_t rows = 0;
        for (const PanelPlace& panel : layout_.panels) rows = std::max(rows, panel.trained.size());
        return rows;
    }

    void add_trained(const PanelPlace& panel) {
        for (std::size_t at = 0; at < panel.trained.size(); ++at) {
            const std::string text = trained_text(panel.trained[at]);
            const double half = text_width(text, note_size) / 2;
            const double middle = panel.left + panel.width * share_of(panel.trained[at], panel.x);
            const double y = panel.top - 9 - 15 * static_cast<double>(panel.trained.size() - 1 - at);
            const double x =
                std::clamp(middle, panel.left + half, std::max(panel.left + half, panel.left + panel.width - half));
            layout_.texts.push_back({text, x, y, Align::centre, note_size, "#444444"});
        }
    }

    std::vector<std::string> panel_title(std::size_t panel, double width) const {
        if (figure_.panels.empty()) return {};
        return wrapped(figure_.panels[panel].title, label_size, width);
    }

    void add_panels() {
        const double height = panel_height();
        for (PanelPlace& panel : layout_.panels) panel.y_ticks = vertical_ticks(panel.y, height);
        double tick_width = 0;
        for (const PanelPlace& panel : layout_.panels) tick_width = std::max(tick_width, widest(panel.y_ticks));
        const std::vector<std::string> y_lines = wrapped(y_words(), label_size, height * static_cast<double>(down_));
        const double words_width =
            y_words().empty() ? 0 : line_of(label_size) * static_cast<double>(y_lines.size()) + 4;
        const double gutter = tick_width + tick_gap;
        const double left = edge + words_width + gutter;
        const double between = figure_.shared_y ? 26 : gutter + 16;
        const double right = std::max(right_, edge + 14);
        const double width =
            (picture_width - left - right - between * static_cast<double>(across_ - 1)) / static_cast<double>(across_);
        std::size_t title_lines = 0;
        for (std::size_t panel = 0; panel < count_; ++panel)
            title_lines = std::max(title_lines, panel_title(panel, width).size());
        const double above =
            8 + line_of(label_size) * static_cast<double>(title_lines) + 15 * static_cast<double>(trained_rows());
        const double first = y_;
        for (std::size_t panel = 0; panel < count_; ++panel) {
            PanelPlace& place = layout_.panels[panel];
            place.left = left + (width + between) * static_cast<double>(panel % across_);
            const std::size_t row = panel / across_;
            place.top = first + above + (above + height + tick_room + 6) * static_cast<double>(row);
            place.width = width;
            place.height = height;
            place.x_ticks = horizontal_ticks(place.x, width, measured(panel));
            if (figure_.shared_y && panel % across_ > 0)
                for (Tick& tick : place.y_ticks) tick.text.clear();
            Text title{"", place.left + width / 2, place.top - above + 8 + line_of(label_size) / 2, Align::centre};
            add_lines(layout_.texts, panel_title(panel, width), title);
            add_trained(place);
        }
        const double last = static_cast<double>(down_ - 1);
        const double middle = first + above + ((above + height + tick_room + 6) * last + height) / 2;
        if (!y_words().empty()) {
            double x = edge + line_of(label_size) / 2;
            for (const std::string& line : y_lines) {
                layout_.texts.push_back({line, x, middle, Align::centre, label_size, "#222222", true});
                x += line_of(label_size);
            }
        }
        y_ = first + (above + height) + (above + height + tick_room + 6) * last + tick_room;
        add_x_words(left, picture_width - right);
        y_ = std::max(y_, least_bottom_);
    }

    void add_x_words(double from, double to) {
        if (x_words().empty()) return;
        const std::vector<std::string> lines = wrapped(x_words(), label_size, to - from);
        y_ = add_lines(layout_.texts, lines, {"", (from + to) / 2, y_ + 4 + line_of(label_size) / 2, Align::centre});
        y_ -= line_of(label_size) / 2;
    }

    void add_names() {
        if (figure_.kind != FigureKind::points) return;
        for (std::size_t panel = 0; panel < count_; ++panel) {
            const PointNames names = place_names(figure_, panel, layout_.panels[panel]);
            layout_.texts.insert(layout_.texts.end(), names.texts.begin(), names.texts.end());
            layout_.leaders.insert(layout_.leaders.end(), names.leaders.begin(), names.leaders.end());
            unnamed_ += names.left_out;
        }
    }

    /// The values between the ends of the horizontal axis that have no place on the vertical one.
    std::string left_out_words() const {
        std::size_t infinite = 0, missing = 0, not_above_0 = 0;
        for (const Trace& trace : figure_.traces) {
            const std::vector<double>& x = trace.series->columns.front().values;
            const std::vector<double>& y = trace.series->columns[trace.column].values;
            for (std::size_t row = 0; row < x.size(); ++row) {
                if (is_drawable(y[row], figure_.y) || !is_drawable(x[row], figure_.x)) continue;
                if (figure_.x.least && !(x[row] >= *figure_.x.least && x[row] <= *figure_.x.most)) continue;
                ++(std::isinf(y[row]) ? infinite : std::isnan(y[row]) ? missing : not_above_0);
            }
        }
        std::string text;
        const auto add = [&](std::size_t count, const std::string& what) {
            if (count == 0) return;
            text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what + (count == 1 ? "" : "s");
        };
        add(infinite, "infinite value");
        add(missing, "missing value");
        if (not_above_0 > 0)
            text += (text.empty() ? "" : ", ") + std::to_string(not_above_0) +
                    (not_above_0 == 1 ? " value that is" : " values that are") + " not above 0";
        return text;
    }

    std::string remark() const {
        bool has_band = false, has_bars = false, has_envelope = false, has_thinned = false;
        const double pixels = layout_.panels.front().width;
        for (const Trace& trace : figure_.traces) {
            const Style style = style_of(figure_, trace, pixels);
            has_bars |= trace.deviation && is_sparse(trace);
            has_band |= trace.deviation && !is_sparse(trace) && style == Style::line;
            has_envelope |= style == Style::envelope;
            has_thinned |= style == Style::points && trace.series->rows() > most_points;
        }
        std::string text;
        const auto add = [&](const std::string& sentence) { text += (text.empty() ? "" : " ") + sentence; };
        if (has_bars) add("Bars: one standard deviation over the seeds.");
        if (has_band) add("Light bands: one standard deviation over the seeds.");
        if (has_thinned) add("Of points closer than 4 pixels, one is drawn.");
        if (const std::string left_out = left_out_words(); !left_out.empty()) add("Not drawn: " + left_out + ".");
        if (has_envelope) add("Bands: from the least to the greatest of the points at each pixel.");
        if (has_diagonal(figure_)) add("Dashed line: both are equal.");
        if (unnamed_ == 1) add("1 point has no room for its name.");
        if (unnamed_ > 1) add(std::to_string(unnamed_) + " points have no room for their names.");
        return text;
    }

    const Figure& figure_;
    std::size_t count_, across_, down_;
    Layout layout_;
    double y_ = 0;
    double right_ = 0;
    double least_bottom_ = 0;
    std::size_t unnamed_ = 0;  ///< points
};

}  // namespace

Layout layout_of(const Figure& figure) {
    return Arranger(figure).run();
}

bool has_diagonal(const Figure& figure) {
    return figure.kind == FigureKind::points && figure.x.least && figure.y.least && figure.x.least == figure.y.least &&
           figure.x.most == figure.y.most && figure.x.log == figure.y.log;
}

double add_lines(std::vector<Text>& texts, const std::vector<std::string>& lines, Text first) {
    for (const std::string& line : lines) {
        first.text = line;
        texts.push_back(first);
        first.y += line_of(first.size);
    }
    return first.y;
}

double add_title(std::vector<Text>& texts, const Figure& figure) {
    const double half = line_of(title_size) / 2;
    if (figure.title.empty()) return edge;
    return add_lines(texts, wrapped(figure.title, title_size, picture_width - 2 * edge),
                     {"", picture_width / 2, edge + half, Align::centre, title_size}) -
           half;
}

double add_notes(std::vector<Text>& texts, const Figure& figure, const std::string& remark, double y) {
    constexpr double room = picture_width - 2 * edge;
    constexpr std::string_view colour = "#555555";
    y += 14;
    const std::string source = figure.source.empty() ? "" : "Source: " + figure.source;
    if (!remark.empty()) {
        const double after =
            add_lines(texts, wrapped(remark, note_size, room), {"", edge, y, Align::left, note_size, colour});
        // The source is next to a remark if there is room.
        const bool fits = text_width(remark, note_size) + text_width(source, note_size) + 30 < room;
        if (!fits || source.empty()) y = after;
    }
    if (!source.empty())
        y = add_lines(texts, wrapped(source, note_size, room),
                      {"", picture_width - edge, y, Align::right, note_size, colour});
    return std::ceil(y + 2);
}

std::string screen(double pixels, double of) {
    return "screen " + short_number(pixels / of, 8);
}

void write_texts(std::ostream& script, const std::vector<Text>& texts, double height, int first) {
    constexpr const char* names[] = {"left", "center", "right"};
    int number = first;
    for (const Text& text : texts) {
        script << "set label " << number++ << ' ' << gnuplot_text(text.text) << " noenhanced at "
               << screen(text.x, picture_width) << ", " << screen(height - text.y, height) << ' '
               << names[static_cast<int>(text.align)] << (text.upright ? " rotate by 90" : "") << " font ',"
               << short_number(text.size) << "' textcolor rgb '" << text.colour << "'\n";
    }
}

}  // namespace farfield::report
