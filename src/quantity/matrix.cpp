// A scheme's bias for every query and key, -inf where the mask hides the key.
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <farfield/evaluate/enclose.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/program.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/scheme/context.hpp>

#include "quantity/kinds.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/selection.hpp"
#include "quantity/summary.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using formula::Node;
using formula::Op;

// The matrix is as long as the scheme's L: the selection's key `length` is this kind's own.
constexpr std::array<core::Key, 2> own_keys = {
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

struct Settings {
    Checked formula;  ///< of q and k
    std::size_t length = 0;
    bool is_relative = false;  ///< a function of q - k alone
    Enclosures enclosures = Enclosures::automatic;
};

/// The values of a formula of q and k at pairs of positions.
struct Pairs {
    std::vector<double> q;
    std::vector<double> k;
};

formula::Program compile(const Settings& settings) {
    return formula::compile(settings.formula.tree, {{}, {"q", "k"}, {}});
}

std::vector<double> evaluate_at(const Settings& settings, const Pairs& pairs) {
    evaluate::Inputs inputs;
    inputs.points = pairs.q.size();
    inputs.varying = {std::span<const double>(pairs.q), std::span<const double>(pairs.k)};
    std::vector<double> values = evaluate::evaluate(compile(settings), inputs);
    const std::size_t bad = evaluate::first_nan(values);
    if (bad == values.size()) return values;
    throw core::UserError(
        {{settings.formula.source.at,
          "the bias has no value (NaN) at q = " + text_of(pairs.q[bad]) + ", k = " + text_of(pairs.k[bad]),
          "a number everywhere", ""}});
}

std::vector<core::Enclosure> exactly(const std::vector<double>& numbers) {
    std::vector<core::Enclosure> points;
    points.reserve(numbers.size());
    for (const double number : numbers) points.push_back(core::Enclosure::exactly(number));
    return points;
}

std::vector<core::Enclosure> enclose_at(const Settings& settings, const Pairs& pairs) {
    evaluate::EnclosedInputs inputs;
    inputs.points = pairs.q.size();
    inputs.varying = {exactly(pairs.q), exactly(pairs.k)};
    return evaluate::enclose(compile(settings), inputs, evaluate::Enclosing::fast);
}

Pairs all_pairs(std::size_t length) {
    Pairs pairs;
    pairs.q.reserve(length * length);
    pairs.k.reserve(length * length);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k) {
            pairs.q.push_back(static_cast<double>(q));
            pairs.k.push_back(static_cast<double>(k));
        }
    return pairs;
}

/// A pair for each distance n = 1 - length .. length - 1, at index n + length - 1.
Pairs each_distance(std::size_t length) {
    Pairs pairs;
    for (std::size_t k = length - 1; k > 0; --k) {
        pairs.q.push_back(0);
        pairs.k.push_back(static_cast<double>(k));
    }
    for (std::size_t q = 0; q < length; ++q) {
        pairs.q.push_back(static_cast<double>(q));
        pairs.k.push_back(0);
    }
    return pairs;
}

/// Row q of the matrix is a stretch of the values by distance, read backwards.
template <class T>
std::vector<T> spread(const std::vector<T>& by_distance, std::size_t length) {
    std::vector<T> matrix(length * length);
    for (std::size_t q = 0; q < length; ++q)
        for (std::size_t k = 0; k < length; ++k) matrix[q * length + k] = by_distance[q + length - 1 - k];
    return matrix;
}

core::Series compute(const Settings& settings) {
    const std::size_t cells = settings.length * settings.length;
    Pairs pairs = all_pairs(settings.length);
    const Pairs distances = settings.is_relative ? each_distance(settings.length) : Pairs{};
    const Pairs& computed = settings.is_relative ? distances : pairs;
    std::vector<double> values = evaluate_at(settings, computed);
    const bool is_small = cells <= most_enclosed && settings.enclosures == Enclosures::automatic;
    std::vector<core::Enclosure> enclosures;
    if (is_small || settings.enclosures == Enclosures::always) enclosures = enclose_at(settings, computed);
    if (settings.is_relative) {
        values = spread(values, settings.length);
        if (!enclosures.empty()) enclosures = spread(enclosures, settings.length);
    }
    core::Series series;
    series.variables = 2;
    series.rigour = enclosures.empty() ? core::Rigour::none : core::Rigour::rigorous;
    series.columns = {{"q", std::move(pairs.q), {}},
                      {"k", std::move(pairs.k), {}},
                      {"value", std::move(values), std::move(enclosures)}};
    return series;
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
    explicit Matrix(Settings settings) : settings_(std::move(settings)) {}

    double cost() const override {
        const double length = static_cast<double>(settings_.length);
        return length * length * (settings_.is_relative ? 1 : 1 + operations(settings_.formula.tree));
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        result.series = compute(settings_);
        const core::Series visible = visible_cells(*result.series);
        if (visible.rows() > 0) {
            summarise(view_of(visible, settings_.formula.source.at), result);
            for (const char* name : {"argmin", "argmax"}) set_positions(name, settings_.length, result);
        } else {
            for (const char* name : {"min", "argmin", "max", "argmax", "first", "last"})
                result.set(name, core::Cell::missing());
        }
        result.set("visible", core::Cell::exact(static_cast<double>(visible.rows())));
        return result;
    }

private:
    Settings settings_;
};

std::optional<Checked> read_scheme_bias(const Declaration& declaration, core::Problems& problems) {
    const std::optional<Selection> selection = read_scheme(declaration, problems);
    if (!selection) return std::nullopt;
    const std::size_t problems_before = problems.size();
    require_bias(declaration, selection->scheme, problems);
    if (selection->scheme.mask) require_context(declaration, *selection->scheme.mask, problems);
    if (problems.size() != problems_before) return std::nullopt;
    const Node hidden = formula::make(Op::negate, {formula::make_name("inf")});
    const Node bias = scheme::bias_formula(selection->scheme, selection->context);
    const Node mask = scheme::mask_formula(selection->scheme, selection->context);
    return Checked{formula::make(Op::select, {mask, bias, hidden}), {"", selection->place}};
}

std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.size();
    const std::string_view given = one_of(declaration, {"scheme", "formula"}, problems);
    Settings settings;
    std::optional<Checked> formula;
    if (given == "scheme") formula = read_scheme_bias(declaration, problems);
    if (given == "formula")
        formula = read_formula(declaration, {.key = "formula", .variables = {"q", "k", "n"}}, problems);
    const std::optional<long long> length = core::read_integer(declaration.settings, "length");
    if (!length)
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'length'", "length = 8");
    if (problems.size() != problems_before || !formula) return nullptr;
    const Node distance = formula::make(Op::subtract, {formula::make_name("q"), formula::make_name("k")});
    settings.formula = {formula::substitute(formula->tree, {{"n", distance}}), formula->source};
    settings.length = static_cast<std::size_t>(*length);
    settings.is_relative = scheme::depends_on_distance_only(settings.formula.tree);
    settings.enclosures = read_enclosures(declaration);
    return std::make_unique<Matrix>(std::move(settings));
}

}  // namespace

const Kind& matrix_kind() {
    static const Kind kind = {"matrix", "a scheme's bias for every query and key, -inf where hidden", own_keys, true,
                              prepare};
    return kind;
}

}  // namespace farfield::quantity
