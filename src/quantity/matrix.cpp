// A scheme's bias for every query and key, -inf where the key is masked.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <farfield/evaluate/array.hpp>
#include <farfield/evaluate/enclose.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>

#include "quantity/definition.hpp"
#include "quantity/kinds.hpp"
#include "quantity/no_value.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/summary.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;

// The length of the matrix is the scheme's L, so this kind defines the key `length` of a selection itself.
constexpr std::array<core::Key, 2> matrix_keys = {
    core::Key{.name = "length",
              .type = core::KeyType::integer,
              .unit = "tokens",
              .required = true,
              .meaning = "L: queries and keys are 0..L-1",
              .least = 1,
              .most = 100000},
    enclosures_key,
};

constexpr std::size_t most_enclosed = 200'000;
/// The most cells of the matrix of a function of the distance only; with more cells, one value is kept for each
/// distance.
constexpr std::size_t most_spread = std::size_t{1} << 22;

struct MatrixSettings {
    Checked formula;  ///< of q and k
    std::size_t length = 0;
    bool is_relative = false;  ///< a function of q - k alone
    Enclosures enclosures = Enclosures::automatic;

    std::size_t cells() const { return length * length; }
    bool is_by_distance() const { return is_relative && cells() > most_spread; }
};

/// Pairs of positions.
using Pairs = evaluate::Cells;

formula::Program compile(const MatrixSettings& settings) {
    return formula::compile(settings.formula.tree, {{}, {"q", "k"}, {}});
}

[[noreturn]] void report_nan(const MatrixSettings& settings, double q, double k) {
    throw core::UserError(
        {{settings.formula.source.at, "the bias has no value (NaN) at q = " + text_of(q) + ", k = " + text_of(k),
          "a number everywhere", why_no_value(settings.formula.tree, {{"q", q}, {"k", k}})}});
}

std::vector<double> evaluate_at(const MatrixSettings& settings, const Pairs& pairs) {
    evaluate::Inputs inputs;
    inputs.points = pairs.q.size();
    inputs.varying = {pairs.q.here(), pairs.k.here()};
    std::vector<double> values = evaluate::evaluate(compile(settings), inputs);
    const std::size_t bad = evaluate::first_nan(values);
    if (bad < values.size()) report_nan(settings, pairs.q[bad], pairs.k[bad]);
    return values;
}

std::vector<core::Enclosure> exactly(std::span<const double> numbers) {
    std::vector<core::Enclosure> points;
    points.reserve(numbers.size());
    for (const double number : numbers) points.push_back(core::Enclosure::exactly(number));
    return points;
}

std::vector<core::Enclosure> enclose_at(const MatrixSettings& settings, const Pairs& pairs) {
    evaluate::EnclosedInputs inputs;
    inputs.points = pairs.q.size();
    inputs.varying = {exactly(pairs.q.here()), exactly(pairs.k.here())};
    const formula::Program program = compile(settings);
    std::vector<core::Enclosure> enclosures = evaluate::enclose(program, inputs, evaluate::Enclosing::fast);
    drop_undefined(settings.formula.tree, program.signature, inputs, enclosures);
    return enclosures;
}

/// A pair for each distance n = 1 - length .. length - 1, at index n + length - 1.
Pairs each_distance(std::size_t length) {
    std::vector<double> queries;
    std::vector<double> keys;
    for (std::size_t k = length - 1; k > 0; --k) {
        queries.push_back(0);
        keys.push_back(static_cast<double>(k));
    }
    for (std::size_t q = 0; q < length; ++q) {
        queries.push_back(static_cast<double>(q));
        keys.push_back(0);
    }
    return {evaluate::Array(std::move(queries)), evaluate::Array(std::move(keys))};
}

/// Row q of the matrix is a part of the values by distance, in reverse order.
template <class T>
std::vector<T> spread(const std::vector<T>& by_distance, std::size_t length) {
    std::vector<T> matrix(length * length);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k) matrix[q * length + k] = by_distance[q + length - 1 - k];
    return matrix;
}

bool wants_enclosures(const MatrixSettings& settings) {
    const bool is_small = settings.cells() <= most_enclosed && settings.enclosures == Enclosures::automatic;
    return is_small || settings.enclosures == Enclosures::always;
}

/// The values at pairs and, if requested, their enclosures.
core::Column compute_at(const MatrixSettings& settings, const Pairs& pairs) {
    core::Column column{"value", evaluate_at(settings, pairs), {}};
    if (wants_enclosures(settings)) column.enclosures = enclose_at(settings, pairs);
    return column;
}

core::Series series_of(std::vector<core::Column> columns) {
    const core::Rigour rigour = columns.back().enclosures.empty() ? core::Rigour::none : core::Rigour::rigorous;
    const std::size_t variables = columns.size() - 1;
    return {std::move(columns), rigour, variables};
}

/// The value of each cell.
evaluate::Array values_of(const MatrixSettings& settings, const Pairs& cells) {
    if (settings.is_relative) {
        std::vector<double> values = evaluate_at(settings, each_distance(settings.length));
        std::reverse(values.begin(), values.end());
        return evaluate::spread(values, 1, settings.length);
    }
    evaluate::Array values = evaluate::evaluate_array(compile(settings), {}, {cells.q, cells.k}, settings.cells());
    const std::size_t bad = evaluate::first_nan(values);
    if (bad < settings.cells()) report_nan(settings, cells.q[bad], cells.k[bad]);
    return values;
}

core::Series matrix_of(const MatrixSettings& settings) {
    const Pairs cells = evaluate::cells(settings.length);
    core::Column column{"value", {}, {}};
    if (!wants_enclosures(settings)) {
        column.values = values_of(settings, cells).values();
    } else if (settings.is_relative) {
        const core::Column by_distance = compute_at(settings, each_distance(settings.length));
        column.values = spread(by_distance.values.here(), settings.length);
        column.enclosures = spread(by_distance.enclosures, settings.length);
    } else {
        column = compute_at(settings, cells);
    }
    return series_of({{"q", cells.q.values(), {}}, {"k", cells.k.values(), {}}, std::move(column)});
}

/// The matrix by distance n = 1 - length .. length - 1.
core::Series distances_of(const MatrixSettings& settings) {
    const Pairs pairs = each_distance(settings.length);
    std::vector<double> distances;
    for (std::size_t at = 0; at < pairs.q.size(); ++at) distances.push_back(pairs.q[at] - pairs.k[at]);
    return series_of({{"n", std::move(distances), {}}, compute_at(settings, pairs)});
}

/// The visible cells as a curve over their index in the matrix, for summarise().
core::Series visible_cells(const core::Series& matrix) {
    const core::Column& column = matrix.columns[2];
    std::vector<double> cells;
    std::vector<double> values;
    std::vector<core::Enclosure> enclosures;
    for (std::size_t cell = 0; cell < column.values.size(); ++cell) {
        if (column.values[cell] == -std::numeric_limits<double>::infinity()) continue;
        cells.push_back(static_cast<double>(cell));
        values.push_back(column.values[cell]);
        if (!column.enclosures.empty()) enclosures.push_back(column.enclosures[cell]);
    }
    return make_series("cell", std::move(cells), std::move(values), std::move(enclosures));
}

/// The visible distances as a curve over the index of the first cell of each, in the order of these cells.
core::Series visible_distances(const core::Series& by_distance, std::size_t length) {
    const core::Column& column = by_distance.columns[1];
    std::vector<double> cells;
    std::vector<double> values;
    std::vector<core::Enclosure> enclosures;
    const auto add = [&](std::size_t at, std::size_t cell) {
        if (column.values[at] == -std::numeric_limits<double>::infinity()) return;
        cells.push_back(static_cast<double>(cell));
        values.push_back(column.values[at]);
        if (!column.enclosures.empty()) enclosures.push_back(column.enclosures[at]);
    };
    // The first row has the distances 0, -1, ..., and the first column the others.
    for (std::size_t k = 0; k < length; ++k) add(length - 1 - k, k);
    for (std::size_t q = 1; q < length; ++q) add(length - 1 + q, q * length);
    return make_series("cell", std::move(cells), std::move(values), std::move(enclosures));
}

/// The last visible cell in the order of rows: the last row has the distances 0, 1, ... from its end, and the last
/// column the others.
core::Cell last_visible(const core::Series& by_distance, std::size_t length) {
    const core::Column& column = by_distance.columns[1];
    std::size_t at = length - 1;
    const auto is_hidden = [&] { return column.values[at] == -std::numeric_limits<double>::infinity(); };
    while (at + 1 < column.values.size() && is_hidden()) ++at;
    if (is_hidden()) at = length - 1;
    while (is_hidden()) --at;
    return column.enclosures.empty() ? core::Cell::of(column.values[at])
                                     : cell(column.values[at], column.enclosures[at]);
}

/// How many cells are visible.
double count_visible(const core::Series& by_distance, std::size_t length) {
    double count = 0;
    for (std::size_t at = 0; at < by_distance.rows(); ++at) {
        if (by_distance.columns[1].values[at] == -std::numeric_limits<double>::infinity()) continue;
        count += static_cast<double>(length) - std::fabs(by_distance.columns[0].values[at]);
    }
    return count;
}

/// Whether it is certain for every cell that it is masked or visible, as its value says.
bool are_surely_visible(const core::Column& column) {
    constexpr double hidden = -std::numeric_limits<double>::infinity();
    if (column.enclosures.empty()) return false;
    for (std::size_t at = 0; at < column.enclosures.size(); ++at) {
        const core::Enclosure& enclosure = column.enclosures[at];
        if (!(column.values[at] == hidden ? enclosure.hi == hidden : enclosure.lo > hidden)) return false;
    }
    return true;
}

/// Replaces the index of a cell by its query and its key.
void set_positions(const std::string& name, std::size_t length, core::Result& result) {
    const core::Cell cell = *result.find(name);
    const bool is_known = cell.enclosure && cell.enclosure->lo == cell.enclosure->hi;
    const double q = std::floor(*cell.number / static_cast<double>(length));
    const double k = *cell.number - q * static_cast<double>(length);
    result.set(name, is_known ? core::Cell::exact(q) : core::Cell::of(q));
    result.set(name + "_key", is_known ? core::Cell::exact(k) : core::Cell::of(k));
}

class Matrix : public Prepared {
public:
    explicit Matrix(MatrixSettings settings) : settings_(std::move(settings)) {}

    double cost() const override {
        const double length = static_cast<double>(settings_.length);
        const double operations_a_cell = operations(settings_.formula.tree);
        if (settings_.is_by_distance()) return 2 * length * (1 + operations_a_cell);
        return length * length * (settings_.is_relative ? 1 : 1 + operations_a_cell);
    }

    void define(const DefinitionOf&, Definition& own) const override {
        state_infinity_of(settings_.formula.tree, own);
        const numerics::Rational length(settings_.length);
        state_at_most({"argmin", "argmax", "argmin_key", "argmax_key"}, length - 1, own);
        state_at_most({"visible"}, length * length, own);
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        const bool is_by_distance = settings_.is_by_distance();
        result.series = is_by_distance ? distances_of(settings_) : matrix_of(settings_);
        const core::Column& bias = result.series->columns.back();
        // A whole matrix without enclosures is read once, by visible_cells().
        const bool is_read = is_by_distance || !bias.enclosures.empty();
        if (is_read && has_pole(evaluate::Array(bias.values), bias.enclosures, true)) {
            set_no_value(result);
            return result;
        }
        // Statements about the visible cells hold for the matrix only if it is certain which cells are visible.
        const bool is_sure = are_surely_visible(result.series->columns.back());
        if (!is_by_distance && !is_sure) {
            const evaluate::VisibleCells visible = evaluate::visible_cells(evaluate::Array(bias.values));
            if (!is_read && visible.count > 0 && std::isinf(visible.greatest))
                set_no_value(result);
            else
                set_visible(visible, result);
            return result;
        }
        core::Series visible =
            is_by_distance ? visible_distances(*result.series, settings_.length) : visible_cells(*result.series);
        if (!is_sure) visible.columns.back().enclosures.clear();
        if (visible.rows() > 0) {
            summarise(view_of(visible, settings_.formula.source.at), result);
            for (const char* name : {"argmin", "argmax"}) set_positions(name, settings_.length, result);
            if (is_by_distance) {
                const core::Cell last = last_visible(*result.series, settings_.length);
                result.set("last", is_sure ? last : core::Cell::of(*last.number));
            }
        } else {
            set_all_hidden(result);
        }
        const double count =
            is_by_distance ? count_visible(*result.series, settings_.length) : static_cast<double>(visible.rows());
        result.set("visible", is_sure ? core::Cell::exact(count) : core::Cell::of(count));
        return result;
    }

private:
    void set_visible(const evaluate::VisibleCells& visible, core::Result& result) const {
        if (visible.count > 0) {
            result.set("min", core::Cell::of(visible.least));
            result.set("argmin", core::Cell::of(static_cast<double>(visible.at_least)));
            result.set("max", core::Cell::of(visible.greatest));
            result.set("argmax", core::Cell::of(static_cast<double>(visible.at_greatest)));
            result.set("first", core::Cell::of(visible.first));
            result.set("last", core::Cell::of(visible.last));
            for (const char* name : {"argmin", "argmax"}) set_positions(name, settings_.length, result);
        } else {
            set_all_hidden(result);
        }
        result.set("visible", core::Cell::of(visible.count));
    }

    /// Of a matrix with a pole.
    static void set_no_value(core::Result& result) {
        set_all_hidden(result);
        result.set("visible", core::Cell::missing());
        result.notes.emplace_back("not decided", "a cell has no value that is known, as at 1/0 and log(0)");
    }

    static void set_all_hidden(core::Result& result) {
        for (const char* name : {"min", "argmin", "max", "argmax", "first", "last", "argmin_key", "argmax_key"})
            result.set(name, core::Cell::missing());
    }

    MatrixSettings settings_;
};

std::optional<Checked> read_scheme_bias(const Declaration& declaration, core::Problems& problems) {
    const std::optional<Selection> selection = read_scheme(declaration, problems);
    if (!selection) return std::nullopt;
    const std::size_t problems_before = problems.reports();
    require_bias(declaration, selection->scheme, problems);
    if (selection->scheme.mask) require_context(declaration, *selection->scheme.mask, problems);
    if (problems.reports() != problems_before) return std::nullopt;
    const Node hidden = formula::make(Op::negate, {formula::make_name("inf")});
    const Node bias = scheme::bias_formula(selection->scheme, selection->context);
    const Node mask = scheme::mask_formula(selection->scheme, selection->context);
    return Checked{formula::make(Op::select, {mask, bias, hidden}), {"", selection->place}};
}

std::unique_ptr<Prepared> prepare_matrix(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    const std::string_view given = one_of(declaration, {"scheme", "formula"}, problems);
    MatrixSettings settings;
    std::optional<Checked> formula;
    if (given == "scheme") formula = read_scheme_bias(declaration, problems);
    if (given == "formula")
        formula = read_formula(declaration, {.key = "formula", .variables = {"q", "k", "n"}}, problems);
    const std::optional<long long> length = core::read_integer(declaration.settings, "length");
    if (!length)
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'length'", "length = 8");
    if (problems.reports() != problems_before || !formula) return nullptr;
    const Node distance = formula::make(Op::subtract, {formula::make_name("q"), formula::make_name("k")});
    settings.formula = {formula::substitute(formula->tree, {{"n", distance}}), formula->source};
    settings.length = static_cast<std::size_t>(*length);
    settings.is_relative = scheme::depends_on_distance_only(settings.formula.tree);
    settings.enclosures = read_enclosures(declaration);
    return std::make_unique<Matrix>(std::move(settings));
}

}  // namespace

const Kind& matrix_kind() {
    static const Kind kind = {"matrix",
                              "a scheme's bias for every query and key, -inf where masked",
                              matrix_keys,
                              true,
                              prepare_matrix,
                              SearchRule::none,
                              {summary_facts, "value[n] <= max",
                               "visible >= 0 and visible == floor(visible) and argmin >= 0 and argmax >= 0 and "
                               "argmin_key >= 0 and argmax_key >= 0"}};
    return kind;
}

}  // namespace farfield::quantity
