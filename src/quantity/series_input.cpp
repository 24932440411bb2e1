#include "quantity/series_input.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "evaluate/closed.hpp"

namespace farfield::quantity {

std::optional<Of> read_of(const Declaration& declaration, core::Problems& problems, std::string_view key) {
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry || !entry->value.string()) return std::nullopt;
    const std::string& name = *entry->value.string();
    const bool is_known =
        std::find(declaration.known.rbegin(), declaration.known.rend(), name) != declaration.known.rend();
    if (!is_known || name == declaration.name) {
        const std::string found = is_known ? "quantity '" + name + "' is of itself" : "unknown quantity '" + name + "'";
        std::vector<std::string> others = declaration.known;
        std::erase(others, declaration.name);
        problems.add(entry->value.place, found, {}, core::known_here(name, others));
        return std::nullopt;
    }
    return Of{name, entry->value.place};
}

std::vector<std::string> View::variables() const {
    std::vector<std::string> names = {variable};
    for (const Predictor& each : predictors) names.push_back(each.name);
    return names;
}

core::Enclosure View::enclosed_point(std::size_t index) const {
    if (!grid) return core::Enclosure::exactly(points[index]);
    const numerics::Interval ends = grid->enclose(index);
    return {ends.lo, ends.hi};
}

core::Cell View::exact_point(std::size_t index) const {
    return grid ? exact_cell(grid->exact(index)) : core::Cell::exact(points[index]);
}

std::optional<numerics::Rational> View::exact_value(std::size_t index) const {
    if (!grid || index >= enclosures.size()) return std::nullopt;
    return evaluate::exact_at(formula, variable, grid->exact(index), enclosures[index]);
}

namespace {

/// For increasing points.
void require_within(const Limits& limits, const std::string& variable, const evaluate::Array& points,
                    const std::optional<numerics::Progression>& grid) {
    const double first = points[0], last = points[points.size() - 1];
    if (!std::isfinite(first) || !std::isfinite(last)) return;
    const auto beyond = grid ? find_beyond(limits, variable, grid->exact(0), grid->exact(points.size() - 1))
                             : find_beyond(limits, variable, numerics::exactly(first), numerics::exactly(last));
    if (beyond) throw core::UserError({*beyond});
}

}  // namespace

View view_of(const core::Series& series, const core::Place& place, const std::optional<Limits>& limits) {
    if (series.variables != 1 || series.columns.size() < 2)
        throw core::UserError({{place, "the quantity is not a curve of one variable", "a curve", ""}});
    const evaluate::Array points(series.columns[0].values);
    const core::Column& column = series.columns[1];
    const std::optional<numerics::Progression> grid = numerics::progression_of(series.columns[0]);
    std::size_t begin = 0;
    std::size_t end = points.size();
    if (limits) {
        const std::span<const double> all = points.here();
        // An infinity has no rational value.
        const auto is_before = [&](double point) {
            return std::isfinite(point) ? numerics::exactly(point) < limits->from : point < 0;
        };
        const auto is_within = [&](double point) {
            return std::isfinite(point) ? !(limits->to < numerics::exactly(point)) : point < 0;
        };
        if (grid) {
            std::tie(begin, end) = grid->between(limits->from, limits->to);
        } else {
            const auto first = std::partition_point(all.begin(), all.end(), is_before);
            begin = static_cast<std::size_t>(first - all.begin());
            end = static_cast<std::size_t>(std::partition_point(first, all.end(), is_within) - all.begin());
        }
    }
    if (begin >= end) throw core::UserError({{place, "no point of the series is in the range", "one at least", ""}});
    if (limits) require_within(*limits, series.columns[0].name, points, grid);
    View view{series.columns[0].name,
              points.part(begin, end - begin),
              evaluate::Array(column.values).part(begin, end - begin),
              {},
              series.rigour};
    if (grid) view.grid = grid->part(begin, end - begin);
    view.formula = column.formula;
    if (!column.enclosures.empty()) view.enclosures = std::span(column.enclosures).subspan(begin, end - begin);
    return view;
}

View view_of(const Inputs& inputs, const Of& of, const std::optional<Limits>& limits) {
    const core::Result& result = inputs.result(of.name);
    if (!result.series)
        throw core::UserError({{of.place, "quantity '" + of.name + "' has no series", "a curve, say", ""}});
    return view_of(*result.series, of.place, limits);
}

}  // namespace farfield::quantity
