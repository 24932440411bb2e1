#include "quantity/fit_model.hpp"

#include <algorithm>
#include <cmath>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/derivative.hpp>
#include <farfield/formula/simplify.hpp>

#include "evaluate/closed.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;

// The cost is a microsecond for each row and squared parameter.
constexpr std::size_t most_enclosed_rows = 50'000;

evaluate::Array evaluate_rows(const formula::Program& program, const View& view, std::span<const double> parameters) {
    std::vector<evaluate::Array> varying = {view.points};
    for (const Predictor& each : view.predictors) varying.push_back(each.values);
    return evaluate::evaluate_array(program, {parameters.begin(), parameters.end()}, varying, view.points.size());
}

/// Compiles a formula of the variables only.
formula::Program compile(const Node& tree, const View& view) {
    return formula::compile(tree, {{}, view.variables(), {}});
}

void refuse_nan(const formula::Source& source, const View& view, const evaluate::Array& values) {
    const std::size_t bad = evaluate::first_not_finite(values);
    if (bad >= values.size()) return;
    throw core::UserError(
        {{source.at,
          "the formula is " + text_of(values[bad]) + " at " + view.variable + " = " + text_of(view.points[bad]),
          "a finite value at every point of the fit", "`range` leaves points out"}});
}

using Rows = std::vector<numerics::Interval>;

/// An enclosure is unbounded if not every part of `whole`, which may contain more than the tree, is proved to have a
/// value.
Rows enclose_rows(const Node& tree, const Node& whole, const View& view) {
    evaluate::EnclosedInputs inputs;
    inputs.points = view.points.size();
    inputs.varying.emplace_back();
    for (std::size_t i = 0; i < inputs.points; ++i) inputs.varying.back().push_back(view.enclosed_point(i));
    for (const Predictor& each : view.predictors) inputs.varying.push_back(each.enclosures);
    Rows rows;
    std::vector<core::Enclosure> enclosures =
        evaluate::enclose(compile(tree, view), inputs, evaluate::Enclosing::rigorous);
    drop_undefined(whole, {{}, view.variables(), {}}, inputs, enclosures);
    for (const core::Enclosure& enclosure : enclosures) rows.push_back(interval_of(enclosure));
    return rows;
}

bool holds_some(const Node& tree, const std::vector<std::string>& names) {
    const std::vector<std::string> free = formula::free_names(tree);
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::find(free.begin(), free.end(), name) != free.end();
    });
}

bool is_linear_in(const Node& tree, const std::vector<std::string>& names) {
    if (!holds_some(tree, names)) return true;
    if (tree->kind == formula::Kind::name) return true;
    if (tree->children.empty()) return false;
    const auto linear = [&](std::size_t i) { return is_linear_in(tree->children[i], names); };
    const auto constant = [&](std::size_t i) { return !holds_some(tree->children[i], names); };
    if (tree->kind == formula::Kind::reduction)
        return tree->op == formula::Op::sum && constant(0) && constant(1) && linear(2);
    if (tree->kind != formula::Kind::operation) return false;
    switch (tree->op) {
        case formula::Op::add:
        case formula::Op::subtract: return linear(0) && linear(1);
        case formula::Op::negate: return linear(0);
        case formula::Op::multiply: return (constant(0) && linear(1)) || (linear(0) && constant(1));
        case formula::Op::divide: return linear(0) && constant(1);
        case formula::Op::select: return constant(0) && linear(1) && linear(2);
        default: return false;
    }
}

std::optional<numerics::EnclosedFit> enclose_fit(const FitModel& model, const View& view, const Weights& weights) {
    if (view.enclosures.empty() || view.values.size() > most_enclosed_rows) return std::nullopt;
    const Node whole = model.with_parameters("1");
    std::vector<Rows> columns;
    for (std::size_t j = 0; j < model.parameters().size(); ++j)
        columns.push_back(enclose_rows(model.derivative(j), whole, view));
    const Rows offset = enclose_rows(model.at_zero(), whole, view);
    Rows data;
    for (std::size_t i = 0; i < view.values.size(); ++i) data.push_back(interval_of(view.enclosures[i]));
    const Rows of_weights = weights.tree ? enclose_rows(weights.tree, weights.tree, view) : Rows();
    return numerics::enclosed_linear_fit({{columns.begin(), columns.end()}, data, offset, of_weights});
}

}  // namespace

FitModel::FitModel(const Checked& model, const std::vector<std::string>& variables)
    : source_(model.source), tree_(model.tree) {
    for (const std::string& name : formula::free_names(tree_)) {
        if (std::find(variables.begin(), variables.end(), name) != variables.end())
            uses_variable_ = true;
        else if (name != "pi" && name != "e" && name != "inf")
            parameters_.push_back(name);
    }
    for (const std::string& name : parameters_) derivatives_.push_back(formula::derivative(tree_, name));
    is_linear_ = is_linear_in(tree_, parameters_);
}

bool FitModel::has_parameter(const std::string& name) const {
    return std::find(parameters_.begin(), parameters_.end(), name) != parameters_.end();
}

Node FitModel::with_parameters(const std::string& decimal) const {
    std::vector<formula::Replacement> numbers;
    for (const std::string& name : parameters_) numbers.push_back({name, formula::make_number(decimal)});
    return formula::substitute(tree_, numbers);
}

Node FitModel::at_zero() const {
    return formula::simplify(with_parameters("0"));
}

evaluate::Array values_of(const Checked& formula, const View& view) {
    for (const std::string& name : formula::free_names(formula.tree)) {
        std::vector<std::string> known = view.variables();
        known.insert(known.end(), {"pi", "e", "inf"});
        if (std::find(known.begin(), known.end(), name) == known.end())
            throw core::UserError(
                {{formula.source.at, "unknown name '" + name + "'", {}, core::known_here(name, known)}});
    }
    return evaluate_rows(compile(formula.tree, view), view, {});
}

Fitted fit_linear_model(const FitModel& model, const View& view, const Weights& weights) {
    // The derivatives are simplified and may have a value where the model has none.
    refuse_nan(model.source(), view, evaluate_rows(compile(model.with_parameters("1"), view), view, {}));
    std::vector<evaluate::Array> columns;
    for (std::size_t j = 0; j < model.parameters().size(); ++j) {
        columns.push_back(evaluate_rows(compile(model.derivative(j), view), view, {}));
        refuse_nan(model.source(), view, columns.back());
    }
    const Node at_zero = model.at_zero();
    const bool has_offset = !formula::equal(at_zero, formula::make_number("0"));
    const evaluate::Array offset = evaluate_rows(compile(at_zero, view), view, {});
    refuse_nan(model.source(), view, offset);
    const formula::Program values = formula::compile(model.tree(), {model.parameters(), view.variables(), {}});
    evaluate::LinearFit found = evaluate::fit_linear(
        {columns, view.values, has_offset ? offset : evaluate::Array(), weights.values,
         [&](std::span<const double> parameters) { return evaluate_rows(values, view, parameters); }});
    return {std::move(found.fit), std::move(found.values), enclose_fit(model, view, weights),
            found.by_products ? "linear in its parameters: products summed in 106 bits, Cholesky's factors"
                              : "linear in its parameters: Householder QR"};
}

namespace {

/// Rationals of more points grow too long.
constexpr std::size_t most_exact_points = 500;
constexpr std::size_t most_exact_parameters = 8;

using Rationals = std::vector<numerics::Rational>;

/// What the parameters are multiplied by at a point, then what their terms add up to.
std::optional<Rationals> exact_equation(const FitModel& model, const Node& at_zero, const View& view, std::size_t at) {
    const numerics::Rational point = view.grid->exact(at);
    evaluate::ExactValues values;
    values.value = [&](const std::string& name) { return name == view.variable ? std::optional(point) : std::nullopt; };
    Rationals equation;
    for (std::size_t j = 0; j < model.parameters().size(); ++j) {
        const auto factor = evaluate::exact_value(model.derivative(j), values);
        if (!factor) return std::nullopt;
        equation.push_back(*factor);
    }
    const auto value = view.exact_value(at);
    const auto offset = value ? evaluate::exact_value(at_zero, values) : std::nullopt;
    if (!offset) return std::nullopt;
    equation.push_back(*value - *offset);
    return equation;
}

/// By elimination; nothing if there is not one solution alone.
std::optional<Rationals> solve(std::vector<Rationals> rows) {
    const std::size_t count = rows.size();
    for (std::size_t i = 0; i < count; ++i) {
        const auto pivot = std::find_if(rows.begin() + static_cast<std::ptrdiff_t>(i), rows.end(),
                                        [i](const Rationals& row) { return row[i] != 0; });
        if (pivot == rows.end()) return std::nullopt;
        std::swap(rows[i], *pivot);
        for (std::size_t other = 0; other < count; ++other) {
            if (other == i || rows[other][i] == 0) continue;
            const numerics::Rational times = rows[other][i] / rows[i][i];
            for (std::size_t j = i; j <= count; ++j) rows[other][j] -= times * rows[i][j];
        }
    }
    Rationals solution;
    for (std::size_t i = 0; i < count; ++i) solution.push_back(rows[i][count] / rows[i][i]);
    return solution;
}

}  // namespace

std::optional<Rationals> exact_parameters(const FitModel& model, const View& view) {
    const std::size_t count = model.parameters().size();
    const std::size_t points = view.points.size();
    if (!view.grid || !view.predictors.empty() || points > most_exact_points || count > most_exact_parameters)
        return std::nullopt;
    const Node at_zero = model.at_zero();
    std::vector<Rationals> normal(count, Rationals(count + 1));
    for (std::size_t i = 0; i < points; ++i) {
        const auto equation = exact_equation(model, at_zero, view, i);
        if (!equation) return std::nullopt;
        for (std::size_t a = 0; a < count; ++a)
            for (std::size_t b = 0; b <= count; ++b) normal[a][b] += (*equation)[a] * (*equation)[b];
    }
    return solve(std::move(normal));
}

/// A curved model's values and slopes at the points, for any parameters.
evaluate::CurvedModel curved_model(const FitModel& model, const View& view) {
    const formula::Signature signature{model.parameters(), view.variables(), {}};
    std::vector<formula::Program> slopes;
    for (std::size_t j = 0; j < model.parameters().size(); ++j)
        slopes.push_back(formula::compile(model.derivative(j), signature));
    evaluate::CurvedModel rows;
    rows.values = [&view, values = formula::compile(model.tree(), signature)](std::span<const double> parameters) {
        return evaluate_rows(values, view, parameters);
    };
    rows.slopes = [&view, slopes = std::move(slopes)](std::span<const double> parameters) {
        std::vector<evaluate::Array> columns;
        for (const formula::Program& slope : slopes) columns.push_back(evaluate_rows(slope, view, parameters));
        return columns;
    };
    return rows;
}

Fitted fit_curved_model(const FitModel& model, const View& view, const evaluate::Array& weights,
                        const std::vector<double>& start) {
    const evaluate::CurvedModel rows = curved_model(model, view);
    refuse_nan(model.source(), view, rows.values(start));
    const auto [found, by_products] = evaluate::fit_curved(rows, view.values, weights, start);
    if (found.outcome != numerics::Outcome::converged) {
        const bool is_limit = found.outcome == numerics::Outcome::evaluation_limit;
        throw core::UserError(
            {{model.source().at,
              is_limit ? "the search for the parameters did not end"
                       : "the model or its slope is not finite where the search went",
              "a start nearer to the solution", "start = { " + model.parameters().front() + " = 1 }"}});
    }
    return {found.fit, rows.values(found.fit.parameters), std::nullopt,
            "Levenberg-Marquardt, " + std::to_string(found.evaluations) + " evaluations of the model" +
                (by_products ? ", products summed in 106 bits" : "")};
}

}  // namespace farfield::quantity
