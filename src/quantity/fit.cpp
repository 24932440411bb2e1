// The least-squares fit of a model to a curve.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/simplify.hpp>

#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/fit_model.hpp"
#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/series_input.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

constexpr std::array<core::Key, 8> fit_keys = {
    core::Key{.name = "of", .type = core::KeyType::text, .required = true, .meaning = "the curve, or a table"},
    core::Key{.name = "response",
              .type = core::KeyType::text,
              .meaning = "for a table: the column that is fitted; the other columns are the model's variables"},
    core::Key{.name = "model",
              .type = core::KeyType::formula,
              .required = true,
              .meaning =
                  "a formula of the variables; every name in it that is not a variable, constant, `let` or `params` "
                  "name is a parameter to find"},
    core::Key{.name = "range",
              .type = core::KeyType::table,
              .unit = "{ from, to }",
              .fallback = "the whole curve",
              .meaning = "which points are fitted, both ends included"},
    core::Key{.name = "start",
              .type = core::KeyType::table,
              .unit = "{ a = 1, ... }",
              .fallback = "1 each",
              .meaning = "where the search starts, for models that are not linear in their parameters"},
    core::Key{
        .name = "weights",
        .type = core::KeyType::formula,
        .fallback = "1",
        .meaning =
            "a formula of the variable, not negative; the fit minimizes the sum of weight times squared residual"},
    core::Key{
        .name = "let", .type = core::KeyType::table, .meaning = "names for the model, each a number or a formula"},
    core::Key{.name = "params", .type = core::KeyType::table, .meaning = "names for the model, each a number"},
};

struct FitSettings {
    Of of;
    std::optional<std::string> response;
    core::Place response_place;
    Checked model;
    std::optional<Checked> weights;
    std::optional<Limits> limits;
    std::vector<std::pair<std::string, double>> start;
    core::Place start_place;
};

/// The cell of a value of a fit, which may be missing, such as a standard error without a spare point.
core::Cell plain(double number) {
    return std::isnan(number) ? core::Cell::missing() : core::Cell::of(number);
}

/// A fraction with more characters is kept as an enclosure.
constexpr std::size_t longest_exact_parameter = 60;

/// A number that was computed from rounded inputs may lie outside the enclosure; then the middle of the enclosure is
/// shown.
core::Cell enclosed(double number, const std::optional<numerics::Interval>& interval) {
    if (std::isnan(number)) return core::Cell::missing();
    if (!interval) return core::Cell::of(number);
    const double shown = numerics::contains(*interval, number) ? number : numerics::midpoint(*interval);
    return cell(shown, core::Enclosure{interval->lo, interval->hi});
}

core::Series series_of(const View& view, const Fitted& fitted) {
    core::Series series;
    series.columns = {{view.variable, view.points.values(), {}},
                      {"value", fitted.values.values(), {}},
                      {"data", view.values.values(), {}},
                      {"residual", evaluate::subtract(view.values, fitted.values).values(), {}}};
    return series;
}

std::size_t first_bad_weight(const evaluate::Array& weights) {
    const evaluate::Extremes found = evaluate::extremes(weights);
    if (found.first_not_finite == evaluate::nowhere && found.least >= 0) return weights.size();
    const std::span<const double> numbers = weights.here();
    const auto is_bad = [](double weight) { return !(weight >= 0) || std::isinf(weight); };
    return static_cast<std::size_t>(std::find_if(numbers.begin(), numbers.end(), is_bad) - numbers.begin());
}

std::size_t points_with_weight(const evaluate::Array& weights) {
    if (evaluate::extremes(weights).least > 0) return weights.size();
    const std::span<const double> numbers = weights.here();
    return static_cast<std::size_t>(
        std::count_if(numbers.begin(), numbers.end(), [](double weight) { return weight > 0; }));
}

class FitOfCurve : public Prepared {
public:
    explicit FitOfCurve(FitSettings settings) : settings_(std::move(settings)) {}

    std::vector<std::string> needs() const override { return {settings_.of.name}; }

    void define(const DefinitionOf& definition_of, Definition& own) const override {
        // Points of weight 0 are left out.
        const auto points = points_of(settings_.of, settings_.limits, definition_of);
        if (!points || settings_.weights || settings_.response) return;
        own.points = points;
        state_equal("points", points->count(), own);
    }

    core::Result run(const Inputs& inputs) const override {
        const core::Result& of = inputs.result(settings_.of.name);
        std::vector<core::Enclosure> response;
        if (of.table && !settings_.response)
            fail(settings_.of.place, "a fit of a table without 'response'", "the name of the column that is fitted");
        const View view =
            settings_.response ? view_of_table(of, response) : view_of(inputs, settings_.of, settings_.limits);
        check_values(view);
        const FitModel model(settings_.model, view.variables());
        check_names(model);
        check_parameters(model, view);
        if (model.is_linear() && !settings_.start.empty())
            fail(settings_.start_place, "'start' of a model that is linear in its parameters",
                 "no start: the best values are computed at once");
        const Weights weights = weights_of(view, model.parameters().size());
        const Fitted fitted = model.is_linear() ? fit_linear_model(model, view, weights)
                                                : fit_curved_model(model, view, weights.values, start_of(model));
        core::Result result = result_of(model, view, fitted);
        state(result.evidence, "model", settings_.model.tree);
        for (std::size_t j = 0; j < model.parameters().size(); ++j)
            result.evidence.add("parameter." + std::to_string(j + 1), model.parameters()[j]);
        if (settings_.weights) state(result.evidence, "weights", settings_.weights->tree);
        return result;
    }

private:
    [[noreturn]] void fail(const core::Place& place, std::string found, std::string wanted = {},
                           std::string hint = {}) const {
        throw core::UserError({{place, std::move(found), std::move(wanted), std::move(hint)}});
    }

    /// The rows of a table, numbered from 1, with all columns except the response as variables. `response` keeps the
    /// data to which the view refers.
    View view_of_table(const core::Result& result, std::vector<core::Enclosure>& response) const {
        if (!result.table)
            fail(settings_.response_place, "'response' of what is not a table", "a quantity of the kind 'table'");
        const core::Table& table = *result.table;
        const auto found = std::find(table.columns.begin(), table.columns.end(), *settings_.response);
        if (found == table.columns.end())
            fail(settings_.response_place, "no column '" + *settings_.response + "'", {},
                 core::known_here(*settings_.response, table.columns));
        check_columns(table);
        core::Series rows;
        rows.columns = {{"row", {}, {}}, column_of(table, static_cast<std::size_t>(found - table.columns.begin()))};
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            rows.columns[0].values.push_back(static_cast<double>(i + 1));
        response = rows.columns[1].enclosures;
        View view = view_of(rows, settings_.of.place, settings_.limits);
        const auto first = static_cast<std::size_t>(view.points[0]) - 1;
        view.points = view.points.kept();
        view.values = view.values.kept();
        view.enclosures = std::span(response).subspan(first, view.points.size());
        for (std::size_t j = 0; j < table.columns.size(); ++j) {
            if (table.columns[j] == *settings_.response || !is_asked_for(table.columns[j])) continue;
            const core::Column column = column_of(table, j);
            const auto begin = column.enclosures.begin() + static_cast<std::ptrdiff_t>(first);
            view.predictors.push_back({column.name,
                                       evaluate::Array(column.values).part(first, view.points.size()).kept(),
                                       {begin, begin + static_cast<std::ptrdiff_t>(view.points.size())}});
        }
        return view;
    }

    /// Each name of the model must have one meaning.
    void check_columns(const core::Table& table) const {
        for (const std::string& column : table.columns) {
            if (!is_asked_for(column)) continue;
            if (column == *settings_.response)
                fail(settings_.model.source.at, "the response '" + column + "' is in the model or the weights",
                     "columns that explain it");
            if (!formula::reserved(column).empty())
                fail(settings_.model.source.at,
                     "'" + column + "' is a column of the table and " + std::string(formula::reserved(column)),
                     "another name of the column");
        }
    }

    /// Whether the model or the weights use the name.
    bool is_asked_for(const std::string& name) const {
        std::vector<std::string> names = formula::free_names(settings_.model.tree);
        if (settings_.weights)
            for (std::string& each : formula::free_names(settings_.weights->tree)) names.push_back(std::move(each));
        return std::find(names.begin(), names.end(), name) != names.end();
    }

    core::Column column_of(const core::Table& table, std::size_t column) const {
        core::Column numbers{table.columns[column], {}, {}};
        for (std::size_t i = 0; i < table.rows.size(); ++i) {
            const core::Cell& cell = table.cells[i * table.columns.size() + column];
            if (!cell.number)
                fail(settings_.of.place, "no number in row '" + table.rows[i] + "' of column '" + numbers.name + "'",
                     "a number in every row of the fit");
            numbers.values.push_back(*cell.number);
            numbers.enclosures.push_back(cell.enclosure ? *cell.enclosure : core::Enclosure::exactly(*cell.number));
        }
        return numbers;
    }

    void check_values(const View& view) const {
        const std::size_t bad = evaluate::first_not_finite(view.values);
        if (bad < view.values.size())
            fail(settings_.of.place,
                 "the curve is " + text_of(view.values[bad]) + " at " + view.variable + " = " +
                     text_of(view.points[bad]),
                 "a finite value at every point of the fit", "`range` leaves points out");
    }

    /// A parameter with the name of another value would be lost under it.
    void check_names(const FitModel& model) const {
        constexpr std::array<std::string_view, 5> values = {"r2", "rmse", "max_error", "points", "condition"};
        for (const std::string& name : model.parameters()) {
            const bool is_error = name.ends_with("_se") && model.has_parameter(name.substr(0, name.size() - 3));
            if (is_error || std::find(values.begin(), values.end(), name) != values.end())
                fail(settings_.model.source.at, "'" + name + "' is the name of a result of a fit", "another name");
        }
    }

    void check_parameters(const FitModel& model, const View& view) const {
        const core::Place& place = settings_.model.source.at;
        const std::size_t parameters = model.parameters().size();
        if (parameters == 0) fail(place, "the model has no parameter to find", "a name that is not a variable");
        if (parameters > 1 && !model.uses_variable())
            fail(place, view.predictors.empty() ? "the model does not use the curve's variable '" + view.variable + "'"
                                                : "the model uses no column of the table");
        if (view.values.size() < parameters)
            fail(settings_.of.place,
                 std::to_string(view.values.size()) + " points for " + std::to_string(parameters) + " parameters",
                 "as many points as parameters at least");
        for (const auto& [name, value] : settings_.start)
            if (!model.has_parameter(name))
                fail(settings_.start_place, "the model has no parameter '" + name + "'", {},
                     core::known_here(name, model.parameters()));
    }

    Weights weights_of(const View& view, std::size_t parameters) const {
        if (!settings_.weights) return {};
        const evaluate::Array weights = values_of(*settings_.weights, view);
        const std::size_t bad = first_bad_weight(weights);
        if (bad < weights.size())
            fail(settings_.weights->source.at,
                 "the weight at " + view.variable + " = " + text_of(view.points[bad]) + " is " + text_of(weights[bad]),
                 "a number of 0 or more");
        const std::size_t weighted = points_with_weight(weights);
        if (weighted < parameters)
            fail(settings_.weights->source.at,
                 std::to_string(weighted) + " points with a weight above 0 for " + std::to_string(parameters) +
                     " parameters",
                 "as many points as parameters at least");
        const evaluate::Extremes found = evaluate::extremes(weights);
        if (weights.size() > 1 && found.least == found.greatest)
            fail(settings_.weights->source.at, "all weights are " + text_of(found.least),
                 "weights that differ, or none");
        return {weights, settings_.weights->tree};
    }

    std::vector<double> start_of(const FitModel& model) const {
        std::vector<double> start(model.parameters().size(), 1.0);
        for (std::size_t j = 0; j < start.size(); ++j)
            for (const auto& [name, value] : settings_.start)
                if (name == model.parameters()[j]) start[j] = value;
        return start;
    }

    core::Result result_of(const FitModel& model, const View& view, const Fitted& fitted) const {
        const numerics::Fit& fit = fitted.fit;
        const auto& bounds = fitted.enclosed;
        core::Result result;
        // A search also ends at parameters of which the points determine only a combination. They depend on its start.
        const bool are_apart = model.parameters().size() == 1 || fit.rank == model.parameters().size();
        for (std::size_t j = 0; j < model.parameters().size(); ++j) {
            if (!are_apart || std::isnan(fit.parameters[j]))
                fail(settings_.model.source.at, "the points do not tell the parameters apart",
                     "a model whose parameters can be found from these points");
            result.set(model.parameters()[j],
                       enclosed(fit.parameters[j], bounds ? std::optional(bounds->parameters[j]) : std::nullopt));
        }
        const auto exact = bounds && !settings_.weights ? exact_parameters(model, view) : std::nullopt;
        for (std::size_t j = 0; exact && j < exact->size(); ++j)
            if (numerics::rational_text((*exact)[j]).size() <= longest_exact_parameter)
                result.set(model.parameters()[j], exact_cell((*exact)[j]));
        for (std::size_t j = 0; j < model.parameters().size(); ++j)
            result.set(model.parameters()[j] + "_se", plain(fit.standard_errors[j]));
        result.set("r2", enclosed(fit.r2, bounds ? std::optional(bounds->r2) : std::nullopt));
        // A mean is at most the largest, but its double may be rounded up.
        result.set("rmse",
                   enclosed(std::min(fit.rmse, fit.max_error), bounds ? std::optional(bounds->rmse) : std::nullopt));
        result.set("max_error", enclosed(fit.max_error, bounds ? std::optional(bounds->max_error) : std::nullopt));
        const auto points = static_cast<double>(fit.points);
        result.set("points", settings_.weights ? enclosed(points, bounds ? std::optional(bounds->points) : std::nullopt)
                                               : core::Cell::exact(points));
        result.set("condition", plain(fit.condition));
        result.series = series_of(view, fitted);
        result.notes.emplace_back("method", fitted.method);
        return result;
    }

    FitSettings settings_;
};

/// Which name is the curve's variable is not known yet.
std::vector<std::pair<std::string, double>> read_start(const Declaration& declaration,
                                                       const std::optional<Checked>& model, core::Problems& problems) {
    std::vector<std::pair<std::string, double>> start;
    const core::Entry* entry = declaration.settings.find("start");
    if (!entry || !entry->value.entries()) return start;
    for (const core::Entry& item : entry->value.entries()->list) {
        const std::vector<std::string> names = model ? formula::free_names(model->tree) : std::vector<std::string>();
        if (!item.value.is_number() || !std::isfinite(item.value.number()))
            problems.add(item.value.place,
                         "found " + (item.value.is_number() ? item.value.text : std::string(item.value.type_name())),
                         "a finite number");
        else if (model && std::find(names.begin(), names.end(), item.key) == names.end())
            problems.add(item.key_place, "the model has no parameter '" + item.key + "'", {},
                         core::known_here(item.key, names));
        else
            start.emplace_back(item.key, item.value.number());
    }
    return start;
}

bool has_variable(const formula::Node& tree) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::any_of(names.begin(), names.end(),
                       [](const std::string& name) { return formula::reserved(name).empty(); });
}

std::unique_ptr<Prepared> prepare_fit(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    std::optional<Of> of = read_of(declaration, problems);
    std::optional<Checked> model = read_formula(declaration, {.key = "model", .any_name = true}, problems);
    FitSettings settings;
    // The curve's variable is known only when the curve is; superfluous names are reported then.
    settings.weights = read_formula(declaration, {.key = "weights", .any_name = true}, problems);
    if (model && !has_variable(model->tree))
        problems.add(place_of_key(declaration, "model"), "the model has no parameter to find",
                     "a name that is not a variable");
    if (settings.weights && !has_variable(formula::simplify(settings.weights->tree)))
        problems.add(place_of_key(declaration, "weights"), "all points have the same weight",
                     "a formula of the variable, or no weights");
    settings.limits = read_limits(declaration, "range", problems);
    settings.start = read_start(declaration, model, problems);
    settings.start_place = place_of_key(declaration, "start");
    settings.response = core::read_text(declaration.settings, "response");
    settings.response_place = place_of_key(declaration, "response");
    if (!of && problems.reports() == problems_before) one_of(declaration, {"of"}, problems);
    if (!model && problems.reports() == problems_before) one_of(declaration, {"model"}, problems);
    if (problems.reports() != problems_before) return nullptr;
    settings.of = std::move(*of);
    settings.model = std::move(*model);
    return std::make_unique<FitOfCurve>(std::move(settings));
}

}  // namespace

const Kind& fit_kind() {
    static const Kind kind = {
        "fit",
        "the least-squares fit of a model to a curve",
        fit_keys,
        false,
        prepare_fit,
        SearchRule::none,
        {"r2 <= 1 and rmse >= 0 and rmse <= max_error and max_error >= 0 and points >= 1 and points == floor(points) "
         "and condition >= 1"}};
    return kind;
}

}  // namespace farfield::quantity
