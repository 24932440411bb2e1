#include "quantity/tabulate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include <farfield/evaluate/array.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>

#include "evaluate/grid_lane.hpp"
#include "quantity/evidence.hpp"
#include "quantity/no_value.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {

namespace {

constexpr std::size_t most_points = 200'000;
constexpr double most_fast_operations = 5e7;
constexpr double most_rigorous_operations = 3e5;
constexpr double wide = 1e-9;
constexpr core::Enclosure nothing_known{-std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::infinity()};

using Arithmetic = evaluate::NumberSystem::Kind;

formula::Program compile(const formula::Node& tree, const Grid& grid) {
    formula::Signature signature;
    if (!grid.variable.empty()) signature.varying.push_back(grid.variable);
    return formula::compile(tree, signature);
}

/// Refuses a point without a value; `index` is that of the first NaN of `count` points, and not below `count` if there
/// is none.
void refuse_without_value(const Tabulation& tabulation, std::size_t index, std::size_t count) {
    if (index >= count) return;
    std::string found = "the formula has no value (NaN)";
    std::map<std::string, double> point;
    if (const std::string& variable = tabulation.grid.variable; !variable.empty()) {
        found += " at " + variable + " = " + numerics::rational_text(tabulation.grid.range.exact(index));
        point[variable] = tabulation.grid.range.at(index);
    }
    throw core::UserError(
        {{tabulation.formula.source.at, found, "a number everywhere", why_no_value(tabulation.formula.tree, point)}});
}

std::vector<core::Enclosure> enclose_at(const formula::Program& program, const std::vector<core::Enclosure>& points,
                                        evaluate::Enclosing how) {
    evaluate::EnclosedInputs inputs;
    inputs.points = points.size();
    inputs.varying.assign(program.signature.varying.size(), points);
    return evaluate::enclose(program, inputs, how);
}

core::Enclosure point_at(const Grid& grid, std::size_t index) {
    const numerics::Interval ends = grid.range.enclose(index);
    return {ends.lo, ends.hi};
}

/// Replaces enclosures that are too wide by narrower ones, within a limit of work.
void narrow(const Tabulation& tabulation, const formula::Program& program, std::span<const double> values,
            std::vector<core::Enclosure>& enclosures) {
    double largest = 0;
    for (const double value : values)
        if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    std::vector<std::size_t> rows;
    std::vector<core::Enclosure> points;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (enclosures[i].width() <= wide * largest) continue;
        rows.push_back(i);
        points.push_back(point_at(tabulation.grid, i));
    }
    const double work = static_cast<double>(rows.size()) * (1 + operations(tabulation.formula.tree));
    if (rows.empty() || (work > most_rigorous_operations && tabulation.enclosures != Enclosures::always)) return;
    const std::vector<core::Enclosure> better = enclose_at(program, points, evaluate::Enclosing::rigorous);
    for (std::size_t i = 0; i < rows.size(); ++i) enclosures[rows[i]] = better[i];
}

bool wants_enclosures(const Tabulation& tabulation) {
    const Arithmetic kind = tabulation.system.kind;
    if (kind == Arithmetic::binary32 || kind == Arithmetic::low_precision || tabulation.enclosures == Enclosures::never)
        return false;
    return tabulation.enclosures == Enclosures::always ||
           (tabulation.grid.range.count() <= most_points && cost_of(tabulation) <= most_fast_operations);
}

std::vector<core::Enclosure> enclose(const Tabulation& tabulation, std::span<const double> values) {
    std::vector<core::Enclosure> points(values.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = point_at(tabulation.grid, i);
    // Laws of the reals may be used where all parts have a value, because an enclosure is of the true value.
    const formula::Node& stated = tabulation.stated ? tabulation.stated : tabulation.formula.tree;
    const bool has_values = formula::defined(stated).is_always();
    const formula::Node tree = has_values ? formula::simplify(tabulation.formula.tree) : tabulation.formula.tree;
    const formula::Program program = compile(tree, tabulation.grid);
    const bool is_single = points.size() == 1;
    auto how = is_single ? evaluate::Enclosing::rigorous : evaluate::Enclosing::fast;
    std::vector<core::Enclosure> enclosures = enclose_at(program, points, how);
    if (!is_single) narrow(tabulation, program, values, enclosures);
    evaluate::EnclosedInputs inputs;
    inputs.points = points.size();
    if (!tabulation.grid.variable.empty()) inputs.varying.push_back(points);
    drop_undefined(stated, {{}, program.signature.varying, {}}, inputs, enclosures);
    return enclosures;
}

/// The formula at every point; in host memory if its values get enclosures or are exact.
evaluate::Array values_of(const Tabulation& tabulation, const formula::Node& tree) {
    const numerics::Progression& range = tabulation.grid.range;
    const formula::Program program = compile(tree, tabulation.grid);
    const bool is_rounded = tabulation.system.kind == Arithmetic::low_precision;
    if (!is_rounded && !wants_enclosures(tabulation)) {
        std::vector<evaluate::Array> varying;
        if (!tabulation.grid.variable.empty()) varying.push_back(evaluate::array_of(range));
        return evaluate::evaluate_array(program, {}, varying, range.count(), tabulation.system);
    }
    const std::vector<double> points = is_rounded ? range.points_to_round() : range.points();
    evaluate::Inputs inputs;
    inputs.points = range.count();
    if (!tabulation.grid.variable.empty()) inputs.varying.push_back(evaluate::lane_of(range, points));
    return evaluate::Array(evaluate::evaluate(program, inputs, tabulation.system));
}

bool is_known(const core::Enclosure& enclosure) {
    return enclosure.lo <= enclosure.hi && !numerics::is_undefined(interval_of(enclosure));
}

}  // namespace

std::string text_of(double number) {
    char buffer[32];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, number);
    return {buffer, end.ptr};
}

void drop_undefined(const formula::Node& formula, const formula::Signature& signature,
                    const evaluate::EnclosedInputs& inputs, std::vector<core::Enclosure>& enclosures) {
    const std::vector<std::string> names = formula::free_names(formula);
    const bool means_infinity = std::find(names.begin(), names.end(), "inf") != names.end();
    const formula::Condition has_value =
        means_infinity ? formula::defined_by_inputs(formula) : formula::defined(formula);
    if (has_value.is_always()) return;
    if (has_value.kind == formula::Condition::Kind::never) {
        std::fill(enclosures.begin(), enclosures.end(), nothing_known);
        return;
    }
    const formula::Program program = formula::compile(has_value.tree, signature);
    const std::vector<evaluate::Truth> truths = evaluate::decide(program, inputs, evaluate::Enclosing::fast);
    for (std::size_t i = 0; i < inputs.points; ++i) {
        if (truths[i] == evaluate::Truth::yes) continue;
        evaluate::EnclosedInputs point;
        for (const std::vector<core::Enclosure>& values : inputs.varying) point.varying.push_back({values[i]});
        if (evaluate::decide(program, point, evaluate::Enclosing::rigorous).front() != evaluate::Truth::yes)
            enclosures[i] = nothing_known;
    }
}

Enclosures read_enclosures(const Declaration& declaration) {
    const std::string text = core::Settings(declaration.settings, {&enclosures_key, 1}).text("enclosures");
    if (text == "always") return Enclosures::always;
    return text == "never" ? Enclosures::never : Enclosures::automatic;
}

numerics::Interval interval_of(const core::Enclosure& enclosure) {
    const bool is_anything = std::isinf(enclosure.lo) && std::isinf(enclosure.hi) && enclosure.lo < enclosure.hi;
    return is_anything ? numerics::undefined_interval() : numerics::Interval{enclosure.lo, enclosure.hi};
}

core::Cell cell(double number, const core::Enclosure& enclosure) {
    // At a pole or log(0), doubles give an infinity, which is not a value.
    if (!is_known(enclosure)) return std::isinf(number) ? core::Cell::missing() : core::Cell::of(number);
    return core::Cell::enclosed(number, enclosure);
}

bool has_pole(const evaluate::Array& values, std::span<const core::Enclosure> enclosures, bool are_masked) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (enclosures.empty()) {
        const evaluate::Extremes found = evaluate::extremes(values);
        return found.greatest == infinity || (!are_masked && found.least == -infinity);
    }
    const std::span<const double> numbers = values.here();
    for (std::size_t i = 0; i < numbers.size(); ++i)
        if (std::isinf(numbers[i]) && !is_known(enclosures[i])) return true;
    return false;
}

double cost_of(const Tabulation& tabulation) {
    return static_cast<double>(tabulation.grid.range.count()) * (1 + operations(tabulation.formula.tree));
}

core::Series make_series(std::string variable, std::vector<double> points, std::vector<double> values,
                         std::vector<core::Enclosure> enclosures) {
    core::Series series;
    series.rigour = enclosures.empty() ? core::Rigour::none : core::Rigour::rigorous;
    series.columns.push_back({std::move(variable), std::move(points), {}});
    series.columns.push_back({"value", std::move(values), std::move(enclosures)});
    return series;
}

core::Series tabulate(const Tabulation& tabulation, evaluate::Extremes* found) {
    const evaluate::Array values = values_of(tabulation, tabulation.formula.tree);
    const evaluate::Extremes extremes = evaluate::extremes(values);
    refuse_without_value(tabulation, extremes.first_nan, values.size());
    if (found != nullptr) *found = extremes;
    if (tabulation.stated && !formula::defined(tabulation.stated).is_always()) {
        const evaluate::Array stated = values_of(tabulation, tabulation.stated);
        refuse_without_value(tabulation, evaluate::first_nan(stated), stated.size());
    }
    core::Series series = make_series(tabulation.grid.variable, {}, {}, {});
    series.columns[0] = coordinates(tabulation.grid.variable, tabulation.grid.range);
    core::Column& column = series.columns[1];
    column.values = values.values();
    if (tabulation.system.kind == Arithmetic::low_precision) {
        // Every operation is rounded as the format defines, so the result is exactly the intended value.
        for (const double value : values.here()) column.enclosures.push_back(core::Enclosure::exactly(value));
        series.rigour = core::Rigour::exact;
    } else if (wants_enclosures(tabulation)) {
        column.enclosures = enclose(tabulation, values.here());
        std::vector<double> nearest(values.here().begin(), values.here().end());
        for (std::size_t i = 0; i < nearest.size(); ++i)
            if (const core::Cell known = cell(nearest[i], column.enclosures[i]); known.enclosure)
                nearest[i] = *known.number;
        column.values = std::move(nearest);
        column.formula = text_to_keep(tabulation.formula.tree);
        series.rigour = core::Rigour::rigorous;
    }
    return series;
}

}  // namespace farfield::quantity
