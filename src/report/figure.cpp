#include "report/figure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "report/labels.hpp"
#include "report/text.hpp"
#include "report/traces.hpp"

namespace farfield::report {
namespace {

/// Selects the data of a figure: quantities with a series, and which of them are fits.
class Planner {
public:
    Planner(const core::FigureRecord& record, const core::StudyRecord& study) : record_(record), study_(study) {}

    Figure plan() {
        figure_.name = record_.name;
        figure_.title = record_.title.empty() ? record_.name : record_.title;
        figure_.source = record_.source;
        figure_.x = read_axis(record_.settings, "x", problems_);
        figure_.y = read_axis(record_.settings, "y", problems_);
        figure_.z = read_axis(record_.settings, "z", problems_);
        columns_ = core::read_texts(record_.settings, "columns", problems_);
        panels_ = core::Settings(record_.settings, figure_keys()).text("panels");
        for (const std::string& name : core::read_texts(record_.settings, "series", problems_)) {
            add(name);
            ++group_;
        }
        check_columns();
        tell_apart();
        name_values();
        set_labels();
        set_kind();
        check_used();
        set_panels();
        problems_.raise();
        return std::move(figure_);
    }

private:
    const core::Place& place() const {
        static const core::Place unknown;
        const core::Entry* series = record_.settings.find("series");
        return series ? series->value.place : unknown;
    }

    void add(const std::string& name) {
        bool found = false;
        for (const core::Result& quantity : study_.quantities) {
            if (quantity.name != name && !quantity.name.starts_with(name + "[")) continue;
            found = true;
            add(quantity);
        }
        if (!found) figure_.absent.push_back(name);
    }

    void add(const core::Result& quantity) {
        if (!quantity.series || quantity.series->rows() == 0) {
            problems_.add(place(), "'" + quantity.name + "' (" + quantity.kind + ") has no series to draw");
            return;
        }
        const core::Series& series = *quantity.series;
        const std::vector<std::size_t> chosen = columns_of(quantity);
        for (const std::size_t column : chosen) {
            const std::string& name = series.columns[column].name;
            Trace trace{series_label(quantity), &series, column, quantity.kind == "fit"};
            const bool is_bias = is_curve_of_scheme(quantity) && name == "value";
            trace.x_words = is_bias ? "distance (tokens)" : axis_words(quantity.kind, series.columns.front().name);
            trace.y_words = is_bias ? "bias" : axis_words(quantity.kind, name);
            trace.panel = panels_ == "quantity" ? group_ : panels_ == "column" ? column_panel(name) : 0;
            if (chosen.size() > 1 && panels_ != "column") {
                trace.label += ": " + trace.y_words;
                says_value_.insert(figure_.traces.size());
            }
            trace.deviation = deviation_of(series, name);
            trace.trained_length = quantity.trained_length;
            if (quantity.kind == "correlation") trace.point_names = names_of_points(quantity);
            figure_.traces.push_back(std::move(trace));
            quantities_.push_back(&quantity);
        }
    }

    /// The curve of a scheme is its bias over the distance; that of a formula may be anything.
    static bool is_curve_of_scheme(const core::Result& quantity) {
        const auto& facts = quantity.evidence.facts;
        return quantity.kind == "curve" &&
               std::any_of(facts.begin(), facts.end(), [](const auto& fact) { return fact.first == "setting.scheme"; });
    }

    /// The place of the column in `columns`; that of the first column of a series if it has none of them.
    std::size_t column_panel(const std::string& column) const {
        const auto found = std::find(columns_.begin(), columns_.end(), column);
        return found == columns_.end() ? 0 : static_cast<std::size_t>(found - columns_.begin());
    }

    static std::optional<std::size_t> deviation_of(const core::Series& series, const std::string& name) {
        for (std::size_t c = series.variables; c < series.columns.size(); ++c)
            if (series.columns[c].name == name + "_sd") return c;
        return std::nullopt;
    }

    /// The names of the rows of a correlation: "shift \u22123" for field_shift[delta=-3].share.
    std::vector<std::string> names_of_points(const core::Result& correlation) const {
        std::vector<std::string> names;
        if (!correlation.table || correlation.table->rows.size() != correlation.series->rows()) return names;
        for (const std::string& row : correlation.table->rows) {
            const auto found = std::find_if(
                study_.quantities.begin(), study_.quantities.end(),
                [&](const core::Result& each) { return row == each.name || row.starts_with(each.name + "."); });
            names.push_back(found != study_.quantities.end() ? series_label(*found) : row);
        }
        return names;
    }

    /// The requested columns, or the first that is not a variable.
    std::vector<std::size_t> columns_of(const core::Result& quantity) {
        const core::Series& series = *quantity.series;
        std::vector<std::size_t> chosen;
        std::vector<std::string> known;
        for (std::size_t c = series.variables; c < series.columns.size(); ++c) {
            const std::string& name = series.columns[c].name;
            if (!name.ends_with("_sd")) known.push_back(name);
            const bool asked = std::find(columns_.begin(), columns_.end(), name) != columns_.end();
            if (asked) found_columns_.insert(name);
            if (asked || (columns_.empty() && chosen.empty())) chosen.push_back(c);
        }
        known_columns_.insert(known_columns_.end(), known.begin(), known.end());
        if (chosen.empty()) {
            const std::string first = columns_.empty() ? "" : columns_.front();
            problems_.add(place(), "'" + quantity.name + "' has none of the columns asked for", "",
                          core::known_here(first, known));
        }
        return chosen;
    }

    /// Each column must be that of a series.
    void check_columns() {
        const core::Entry* entry = record_.settings.find("columns");
        const core::List* list = entry ? entry->value.list() : nullptr;
        if (!list || !figure_.absent.empty() || found_columns_.empty()) return;
        std::vector<std::string> known;
        for (const std::string& name : known_columns_)
            if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
        for (const core::Value& value : *list)
            if (value.string() && !found_columns_.contains(*value.string()))
                problems_.add(value.place, "no series has a column '" + *value.string() + "'", "",
                              core::known_here(*value.string(), known));
    }

    /// Series with the same label get the names of their quantities.
    void tell_apart() {
        if (panels_ == "quantity") return;
        for (std::size_t at = 0; at < figure_.traces.size(); ++at) {
            const Trace& trace = figure_.traces[at];
            const bool is_alone = std::none_of(figure_.traces.begin(), figure_.traces.end(), [&](const Trace& other) {
                return &other != &trace && other.label == trace.label && other.panel == trace.panel;
            });
            if (!is_alone) ambiguous_.insert(at);
        }
        for (const std::size_t at : ambiguous_) figure_.traces[at].label = long_label(*quantities_[at]);
    }

    /// If the series show different things on one axis, their labels say what.
    void name_values() {
        const bool has_one_axis = panels_ == "one" || panels_ == "series";
        if (!has_one_axis || !figure_.y.label.empty() || shared_y_words(figure_)) return;
        for (std::size_t at = 0; at < figure_.traces.size(); ++at) {
            Trace& trace = figure_.traces[at];
            if (!says_value_.contains(at)) trace.label += ": " + trace.y_words;
        }
    }

    /// Divides the figure into panels, and gives series with the same label the same look.
    void set_panels() {
        if (figure_.kind == FigureKind::heatmap || figure_.traces.empty() || panels_ == "one") return;
        std::vector<std::string> labels;
        for (std::size_t at = 0; at < figure_.traces.size(); ++at) {
            Trace& trace = figure_.traces[at];
            if (panels_ == "series") {
                trace.panel = at;
                trace.look = 0;
                figure_.panels.push_back({trace.label, ""});
                continue;
            }
            const auto known = std::find(labels.begin(), labels.end(), trace.label);
            trace.look = static_cast<std::size_t>(known - labels.begin());
            if (known == labels.end()) labels.push_back(trace.label);
            if (trace.panel >= figure_.panels.size()) figure_.panels.resize(trace.panel + 1);
            Panel& panel = figure_.panels[trace.panel];
            const std::string base = quantities_[at]->name.substr(0, quantities_[at]->name.find('['));
            if (panel.title.empty()) panel.title = trace.y_words == "value" ? base : trace.y_words;
        }
        figure_.shared_y = panels_ == "series";
        if (panels_ == "quantity") tell_panels_apart();
    }

    /// Panels of the same measured value are named after their quantities.
    void tell_panels_apart() {
        std::map<std::string, std::size_t> count;
        for (const Panel& panel : figure_.panels) ++count[panel.title];
        for (std::size_t at = 0; at < figure_.traces.size(); ++at) {
            Panel& panel = figure_.panels[figure_.traces[at].panel];
            const std::string base = quantities_[at]->name.substr(0, quantities_[at]->name.find('['));
            if (count[panel.title] > 1) panel.title = base + ": " + panel.title;
        }
    }

    void set_labels() {
        const std::vector<std::string> labels = core::read_texts(record_.settings, "labels", problems_);
        if (labels.empty() || !figure_.absent.empty()) return;
        if (labels.size() != figure_.traces.size()) {
            problems_.add(record_.settings.find("labels")->value.place, std::to_string(labels.size()) + " labels",
                          std::to_string(figure_.traces.size()) + ", one for each series drawn");
            return;
        }
        for (std::size_t at = 0; at < labels.size(); ++at) figure_.traces[at].label = labels[at];
    }

    void set_kind() {
        const auto is_matrix = [](const Trace& trace) { return trace.series->variables == 2; };
        const bool any = std::any_of(figure_.traces.begin(), figure_.traces.end(), is_matrix);
        const bool all = std::all_of(figure_.traces.begin(), figure_.traces.end(), is_matrix);
        const bool scattered = std::all_of(quantities_.begin(), quantities_.end(),
                                           [](const core::Result* each) { return each->kind == "correlation"; });
        const std::string wanted = core::read_text(record_.settings, "kind")
                                       .value_or(any         ? "heatmap"
                                                 : scattered ? "points"
                                                             : "lines");
        figure_.kind = wanted == "heatmap"  ? FigureKind::heatmap
                       : wanted == "points" ? FigureKind::points
                                            : FigureKind::lines;
        if (figure_.traces.empty()) return;
        if (any && (!all || figure_.kind != FigureKind::heatmap)) {
            problems_.add(place(), "a matrix is drawn as a heat map",
                          "figures of matrices alone, with kind = 'heatmap'");
        } else if (!any && figure_.kind == FigureKind::heatmap) {
            problems_.add(place(), "a heat map of what is not a matrix", "quantities of the kind matrix");
        }
    }

    void refuse_unused(const core::Entry& entry, const std::string& why) {
        problems_.add(entry.key_place, "'" + entry.key + "' is unused: " + why, "a figure without it");
    }

    /// Reports keys that a figure of this kind does not use.
    void check_used() {
        if (figure_.traces.empty()) return;
        const bool is_map = figure_.kind == FigureKind::heatmap;
        const core::Entry* z = record_.settings.find("z");
        if (z && !is_map) refuse_unused(*z, "only a heat map has colours");
        const core::Entry* panels = record_.settings.find("panels");
        if (panels && is_map) refuse_unused(*panels, "heat maps are drawn side by side");
        for (const char* axis : {"x", "y"}) {
            const core::Entry* entry = record_.settings.find(axis);
            const core::Entries* keys = entry && is_map ? entry->value.entries() : nullptr;
            for (const char* key : {"log", "range"})
                if (const core::Entry* unused = keys ? keys->find(key) : nullptr)
                    refuse_unused(*unused, "a heat map shows every query and key");
        }
        if (is_map)
            check_colours();
        else
            check_variables();
        if (!is_map) check_shown();
    }

    /// A figure in which nothing can be seen.
    void check_shown() {
        const auto is_shown_on = [this](const Axis& x, const Axis& y) {
            return std::any_of(figure_.traces.begin(), figure_.traces.end(),
                               [&](const Trace& each) { return is_shown(figure_, each, x, y); });
        };
        if (is_shown_on(figure_.x, figure_.y)) return check_span();
        if (!is_shown_on({}, {}))
            problems_.add(place(), "the series have no finite values", "series with numbers");
        else if (!is_shown_on(without_range(figure_.x), without_range(figure_.y)))
            problems_.add(place(), "the series have no values above 0 for the logarithmic axis", "axes without 'log'");
        else
            problems_.add(place(), "nothing of the series lies within the axes", "a range that has a part of it");
    }

    static Axis without_range(Axis axis) {
        axis.least = axis.most = std::nullopt;
        return axis;
    }

    /// The length of an axis is a double.
    void check_span() {
        if (figure_.y.log || figure_.y.least) return;
        double least = std::numeric_limits<double>::infinity(), most = -least;
        for (const Trace& trace : figure_.traces) {
            for (const double value : trace.series->columns[trace.column].values) {
                if (!std::isfinite(value)) continue;
                least = std::min(least, value);
                most = std::max(most, value);
            }
        }
        if (least <= most && !std::isfinite(1.1 * (most - least)))
            problems_.add(place(),
                          "the values from " + short_number(least) + " to " + short_number(most) +
                              " are too far apart for an axis",
                          "y = { range = [lo, hi] }");
    }

    void check_colours() {
        const auto is_coloured = [this](double value) {
            const bool is_below = figure_.z.least && value < *figure_.z.least;
            const bool is_above = figure_.z.most && value > *figure_.z.most;
            return std::isfinite(value) && !is_below && !is_above;
        };
        const auto has_colours = [&](const Trace& trace) {
            const std::vector<double>& values = trace.series->columns[trace.column].values;
            return std::any_of(values.begin(), values.end(), is_coloured);
        };
        if (std::none_of(figure_.traces.begin(), figure_.traces.end(), has_colours))
            problems_.add(place(), "no number of the matrices lies within the range of colours",
                          "a range that has some of them");
        const auto is_above_0 = [](double value) { return value > 0; };
        for (const Trace& trace : figure_.traces) {
            const std::vector<double>& values = trace.series->columns[trace.column].values;
            if (std::any_of(values.begin(), values.end(), is_above_0)) return;
        }
        if (figure_.z.log)
            problems_.add(place(), "the matrices have no values above 0 for the logarithmic colours",
                          "colours without 'log'");
    }

    /// An axis that gets its label from the first series would be wrong for a series over another variable.
    void check_variables() {
        if (!figure_.x.label.empty()) return;
        const Trace& first = figure_.traces.front();
        const Trace* in_words = nullptr;  // the first whose kind names its variable
        for (const Trace& trace : figure_.traces) {
            const bool has_words = !trace.x_words.empty() && trace.x_words != trace.variable();
            const bool differs = has_words && in_words && trace.x_words != in_words->x_words;
            if (differs || trace.variable() != first.variable()) {
                const Trace& other = differs ? *in_words : first;
                return problems_.add(place(),
                                     "the series are over different variables: '" + other.variable_in_words() +
                                         "' and '" + trace.variable_in_words() + "'",
                                     "series over one variable, or x = { label = \"...\" }");
            }
            if (has_words && !in_words) in_words = &trace;
        }
    }

    const core::FigureRecord& record_;
    const core::StudyRecord& study_;
    std::vector<std::string> columns_;
    std::set<std::string> found_columns_;
    std::vector<std::string> known_columns_;
    std::string panels_;
    std::size_t group_ = 0;                        ///< the place in `series` of the current entry
    std::vector<const core::Result*> quantities_;  ///< of each trace
    std::set<std::size_t> ambiguous_;
    std::set<std::size_t> says_value_;  ///< traces whose labels say what they show
    core::Problems problems_;
    Figure figure_;
};

}  // namespace

Figure plan_figure(const core::FigureRecord& figure, const core::StudyRecord& study) {
    return Planner(figure, study).plan();
}

}  // namespace farfield::report
