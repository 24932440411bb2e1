#include "report/figure.hpp"

#include <algorithm>

namespace farfield::report {
namespace {

/// What a figure is drawn from: quantities with a series, and which of them are fits.
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
        for (const std::string& name : core::read_texts(record_.settings, "series", problems_)) add(name);
        set_labels();
        set_kind();
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
        const bool is_fit = quantity.kind == "fit";
        const std::vector<std::size_t> chosen = columns_of(quantity);
        for (const std::size_t column : chosen) {
            const std::string& name = series.columns[column].name;
            const std::string label = chosen.size() == 1 ? quantity.name : quantity.name + ": " + name;
            figure_.traces.push_back({label, &series, column, is_fit});
        }
    }

    /// Those that are asked for, or the first that is not a variable.
    std::vector<std::size_t> columns_of(const core::Result& quantity) {
        const core::Series& series = *quantity.series;
        std::vector<std::size_t> chosen;
        std::vector<std::string> known;
        for (std::size_t c = series.variables; c < series.columns.size(); ++c) {
            const std::string& name = series.columns[c].name;
            known.push_back(name);
            const bool asked = std::find(columns_.begin(), columns_.end(), name) != columns_.end();
            if (asked || (columns_.empty() && chosen.empty())) chosen.push_back(c);
        }
        if (chosen.empty()) {
            const std::string first = columns_.empty() ? "" : columns_.front();
            problems_.add(place(), "'" + quantity.name + "' has none of the columns asked for", "",
                          core::known_here(first, known));
        }
        return chosen;
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
        const std::string wanted = core::read_text(record_.settings, "kind").value_or(any ? "heatmap" : "lines");
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

    const core::FigureRecord& record_;
    const core::StudyRecord& study_;
    std::vector<std::string> columns_;
    core::Problems problems_;
    Figure figure_;
};

}  // namespace

Figure plan_figure(const core::FigureRecord& figure, const core::StudyRecord& study) {
    return Planner(figure, study).plan();
}

}  // namespace farfield::report
