// The plan of a figure: the rows of the series that are drawn, and their names.
#pragma once

#include <cstddef>
#include <farfield/core/keys.hpp>
#include <farfield/core/record.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::report {

enum class FigureKind { lines, points, heatmap };

struct Axis {
    std::string label;
    bool log = false;
    std::optional<double> least;
    std::optional<double> most;
};

/// One line, cloud of points or map: a column of a series over its variables.
struct Trace {
    std::string label;
    const core::Series* series = nullptr;
    std::size_t column = 1;
    bool is_fit = false;                        ///< a fitted curve, drawn over its data
    std::size_t panel = 0;                      ///< of the figure's panels
    std::optional<std::size_t> look = {};       ///< index of colour, dash and marker; its own number if it has none
    std::optional<std::size_t> deviation = {};  ///< the column with the standard deviation over seeds
    double trained_length = 0;                  ///< length on which the models were trained; 0 if this does not apply
    std::vector<std::string> point_names = {};  ///< one per row, or none
    std::string x_words = {}, y_words = {};     ///< names of its axes; those of the columns if empty

    const std::string& variable() const { return series->columns.front().name; }
    const std::string& variable_in_words() const { return x_words.empty() ? variable() : x_words; }
};

/// A part of a figure with its own axes.
struct Panel {
    std::string title;
    std::string y_words;  ///< name of its vertical axis, if the panels show different quantities
};

struct Figure {
    std::string name;
    std::string title;
    std::string source;
    FigureKind kind = FigureKind::lines;
    Axis x, y, z;
    std::vector<Trace> traces;
    std::vector<Panel> panels = {};   ///< none: one without a title
    bool shared_y = true;             ///< whether the panels' vertical axes have one range
    std::vector<std::string> absent;  ///< series that the results do not have
};

/// The axis that `settings` gives under `key`.
Axis read_axis(const core::Entries& settings, std::string_view key, core::Problems& problems);

/// The figure with its series found in the results. A name in `series` is that of a quantity, or of all entries of a
/// swept one. Missing series (of a run that omitted them) are listed in `absent`. Throws core::UserError with all
/// problems: a quantity has no series, a column is missing, the number of labels is not that of the series, or matrices
/// and curves are mixed.
Figure plan_figure(const core::FigureRecord& figure, const core::StudyRecord& study);

}  // namespace farfield::report
