#include "claim/bind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

#include "claim/expand.hpp"
#include "numerics/counting.hpp"
#include "numerics/progression.hpp"

namespace farfield::claim {

using core::Cell;
using core::Enclosure;
using formula::Kind;
using formula::Node;
using formula::Op;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Enclosure unknown() {
    return {nan, nan};
}

Enclosure enclosure_of(const Cell& cell) {
    if (!cell.number || std::isnan(*cell.number)) return unknown();
    return cell.enclosure ? *cell.enclosure : Enclosure::exactly(*cell.number);
}

/// The exact values of a column of coordinates, if it states them. Nothing is known about the digits of others.
std::optional<numerics::Progression> coordinates_of(const core::Series& series, const core::Column& column) {
    if (series.variables != 1 || &column != &series.columns.front()) return std::nullopt;
    return numerics::progression_of(column);
}

Cell cell_at(const core::Series& series, const core::Column& column, std::size_t row) {
    if (row >= column.values.size()) return Cell::missing();
    Cell cell = Cell::of(column.values[row]);
    if (const auto grid = coordinates_of(series, column)) {
        const numerics::Interval value = grid->enclose(row);
        cell.enclosure = {value.lo, value.hi};
        cell.rational = numerics::rational_text(grid->exact(row));
        cell.rigour = core::Rigour::exact;
        return cell;
    }
    if (row >= column.enclosures.size()) return cell;
    cell.enclosure = column.enclosures[row];
    cell.rigour = series.rigour;
    if (cell.enclosure->lo == cell.enclosure->hi) return cell;
    if (const auto exact = evaluate::exact_row(series, column, row)) cell.rational = numerics::rational_text(*exact);
    return cell;
}

bool mentions_bound(const Node& node, const std::vector<std::string>& bound) {
    const auto names = formula::free_names(node);
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return std::find(bound.begin(), bound.end(), name) != bound.end(); });
}

/// Coordinates that increase by a constant integer step, as a lookup in a loop requires.
struct Grid {
    std::int64_t from;
    std::int64_t step;
    std::size_t count;
};

/// The grid of `count` values, each of which is repeated `stride` times.
std::optional<Grid> whole_grid(const std::vector<double>& values, std::size_t stride) {
    if (values.empty()) return std::nullopt;
    const double from = values.front();
    const std::size_t count = values.size() / stride;
    const double step = count > 1 ? values[stride] - from : 1;
    if (std::floor(from) != from || std::floor(step) != step || step == 0) return std::nullopt;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool is_counted = std::fabs(values[i]) < 0x1p53;  // a larger double may be a rounded integer
        const std::size_t steps = i / stride;
        if (!is_counted || values[i] != from + step * static_cast<double>(steps)) return std::nullopt;
    }
    return Grid{static_cast<std::int64_t>(from), static_cast<std::int64_t>(step), count};
}

std::optional<Grid> whole_grid(const core::Column& column) {
    if (!column.steps) return whole_grid(column.values, 1);
    const auto grid = numerics::progression_of(column);
    const auto from = grid ? numerics::counted(grid->from()) : std::nullopt;
    const auto step = grid ? numerics::counted(grid->step()) : std::nullopt;
    return from && step ? std::optional(Grid{*from, *step, grid->count()}) : std::nullopt;
}

Node integer_node(std::int64_t value) {
    return formula::parse(std::to_string(value));
}

Node offset(const Node& index, const Grid& grid) {
    Node moved = index;
    if (grid.from != 0) moved = formula::make(Op::subtract, {moved, integer_node(grid.from)});
    if (grid.step != 1) moved = formula::make(Op::divide, {moved, integer_node(grid.step)});
    return moved;
}

/// A lookup beyond the last query's keys, or between two queries, must not land in another row of a matrix.
Node offset_within(const Node& outer, const Grid& rows, const Node& inner, const Grid& keys) {
    const Node row = offset(outer, rows);
    const Node column = offset(inner, keys);
    const Node last = integer_node(static_cast<std::int64_t>(keys.count) - 1);
    const Node is_key = formula::make(Op::logical_and, {formula::make(Op::less_equal, {integer_node(0), column}),
                                                        formula::make(Op::less_equal, {column, last})});
    const Node is_query = formula::make(Op::equals, {formula::make(Op::floor, {row}), row});
    const Node start = formula::make(Op::multiply, {row, integer_node(static_cast<std::int64_t>(keys.count))});
    return formula::make(Op::select, {formula::make(Op::logical_and, {is_query, is_key}),
                                      formula::make(Op::add, {start, column}), integer_node(-1)});
}

/// How the numbers of a column are proven. One without enclosures has plain numbers, even in a series whose other
/// columns are enclosed.
core::Rigour rigour_of(const core::Series& series, const core::Column& column) {
    if (!column.enclosures.empty()) return series.rigour;
    return coordinates_of(series, column) ? core::Rigour::exact : core::Rigour::none;
}

std::vector<Enclosure> enclosures_of(const core::Series& series, const core::Column& column) {
    std::vector<Enclosure> enclosures = column.enclosures;
    if (!enclosures.empty()) return enclosures;
    enclosures.reserve(column.values.size());
    if (const auto grid = coordinates_of(series, column)) {
        for (std::size_t row = 0; row < column.values.size(); ++row) {
            const numerics::Interval value = grid->enclose(row);
            enclosures.push_back({value.lo, value.hi});
        }
        return enclosures;
    }
    for (const double value : column.values) enclosures.push_back(Enclosure::exactly(value));
    return enclosures;
}

}  // namespace

Binding::Binding(const Node& tree, const std::vector<const core::Result*>& results, const Varying* varying)
    : results_(results) {
    std::vector<std::string> bound;
    if (varying) {
        bound.push_back(varying->name);
        signature_.varying.push_back(varying->name);
        std::vector<Enclosure> points(varying->count);
        for (std::size_t i = 0; i < varying->count; ++i) {
            const numerics::Interval point = numerics::enclose_integer(varying->at(i));
            points[i] = {point.lo, point.hi};
        }
        inputs_.varying.push_back(std::move(points));
        inputs_.points = varying->count;
    }
    tree_ = bind(tree, bound);
    for (const auto& table : tables_) inputs_.tables.emplace_back(table);
}

void Binding::use(Used used) {
    const auto same = [&](const Used& other) { return other.label == used.label; };
    if (std::none_of(used_.begin(), used_.end(), same)) used_.push_back(std::move(used));
}

Node Binding::input(const Enclosure& enclosure) {
    signature_.uniform.push_back("value " + std::to_string(signature_.uniform.size()));
    inputs_.uniform.push_back(enclosure);
    return formula::make_name(signature_.uniform.back());
}

Node Binding::value_node(const Cell& cell) {
    return cell.rational.empty() ? input(enclosure_of(cell)) : formula::parse(cell.rational);
}

Node Binding::bind(const Node& node, std::vector<std::string>& bound) {
    const bool named = node->kind == Kind::name || node->kind == Kind::index;
    const bool is_bound = std::find(bound.begin(), bound.end(), node->text) != bound.end();
    if (named && !is_bound && !is_constant(node->text)) return bind_mention(node, bound);
    const bool is_printed = node->kind == Kind::call && node->text == "printed";
    if (is_printed) {
        const Node& cell = node->children.front();
        const Mention mention{cell, split(cell->text)};
        const core::Result* result = find_result(results_, mention.reference.quantity);
        std::optional<NameProblem> problem;
        const Target target = result ? find_target(mention, *result, problem) : Target{};
        return bind_cell(cell, target.cell ? *target.cell : Cell::missing(), true);
    }
    std::vector<Node> children;
    const bool binds = node->kind == Kind::reduction;
    for (std::size_t i = 0; i < node->children.size(); ++i) {
        const bool body = binds && i + 1 == node->children.size();
        if (body) bound.push_back(node->text);
        children.push_back(bind(node->children[i], bound));
        if (body) bound.pop_back();
    }
    return with_children(node, std::move(children));
}

Node Binding::bind_mention(const Node& node, const std::vector<std::string>& bound) {
    const Mention mention{node, split(node->text)};
    const core::Result* result = find_result(results_, mention.reference.quantity);
    std::optional<NameProblem> problem;
    const Target target = result ? find_target(mention, *result, problem) : Target{};
    if (target.column) return bind_series(node, target, bound);
    return bind_cell(node, target.cell ? *target.cell : Cell::missing(), false);
}

Node Binding::bind_cell(const Node& node, const Cell& cell, bool printed) {
    const std::string label = formula::print(node);
    if (!printed) {
        use({label, cell});
        return value_node(cell);
    }
    // The printed decimal is exact as a decimal, so it is substituted as a literal.
    if (!is_decimal(cell.printed)) {
        use({"printed(" + label + ")", Cell::missing()});
        return input(unknown());
    }
    use({"printed(" + label + ")", Cell{cell.number, cell.printed, std::nullopt, core::Rigour::exact}});
    return decimal_tree(cell.printed);
}

Node Binding::bind_series(const Node& node, const Target& target, const std::vector<std::string>& bound) {
    if (mentions_bound(node, bound)) return bind_table(node, target, bound);
    const core::Series& series = *target.series;
    std::vector<std::optional<numerics::Rational>> wanted;
    std::string label = node->text + "[";
    for (const Node& index : node->children) {
        const Binding inner(index, results_, nullptr);
        for (const Used& used : inner.used()) use(used);
        label += wanted.empty() ? "" : ",";
        wanted.push_back(inner.exact());
        label += wanted.back() ? numerics::rational_text(*wanted.back()) : formula::print(index);
    }
    const Cell cell = cell_at(series, *target.column, row_at(series, wanted));
    use({label + "]", cell});
    return value_node(cell);
}

Node Binding::bind_table(const Node& node, const Target& target, const std::vector<std::string>& bound) {
    const core::Series& series = *target.series;
    use({node->text, Cell{std::nullopt, {}, std::nullopt, rigour_of(series, *target.column)}, true});
    std::vector<std::string> inner = bound;
    std::vector<Node> indexes;
    for (const Node& index : node->children) indexes.push_back(bind(index, inner));
    Node at;
    if (indexes.size() == 1) {
        if (const auto grid = whole_grid(series.columns[0])) at = offset(indexes[0], *grid);
    } else if (indexes.size() == 2) {
        const auto& queries = series.columns[0].values;
        std::size_t keys = 0;
        while (keys < queries.size() && queries[keys] == queries[0]) ++keys;
        const auto rows = keys > 0 && queries.size() % keys == 0 ? whole_grid(queries, keys) : std::nullopt;
        const auto& all = series.columns[1].values;
        const auto columns =
            rows ? whole_grid(std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys)), 1)
                 : std::nullopt;
        if (columns) at = offset_within(indexes[0], *rows, indexes[1], *columns);
    }
    if (!at) return input(unknown());
    return formula::make_index(table_of(target), {at});
}

const std::string& Binding::table_of(const Target& target) {
    const auto known = std::find_if(columns_.begin(), columns_.end(),
                                    [&](const Target& each) { return each.column == target.column; });
    if (known != columns_.end()) return signature_.tables[static_cast<std::size_t>(known - columns_.begin())];
    columns_.push_back(target);
    signature_.tables.push_back("series " + std::to_string(signature_.tables.size()));
    tables_.push_back(enclosures_of(*target.series, *target.column));
    return signature_.tables.back();
}

formula::Program Binding::program() const {
    return formula::compile(tree_, signature_);
}

std::vector<Enclosure> Binding::enclose() const {
    return evaluate::enclose(program(), inputs_);
}

std::vector<evaluate::Truth> Binding::have_values(evaluate::Enclosing how) const {
    using enum formula::Condition::Kind;
    const formula::Condition condition = formula::defined_by_results(tree_);
    const std::size_t points = std::max<std::size_t>(inputs_.points, 1);
    if (condition.kind == always) return std::vector<evaluate::Truth>(points, evaluate::Truth::yes);
    if (condition.kind == never) return std::vector<evaluate::Truth>(points, evaluate::Truth::unknown);
    return evaluate::decide(formula::compile(condition.tree, signature_), inputs_, how);
}

bool Binding::has_value() const {
    return have_values(evaluate::Enclosing::rigorous).front() == evaluate::Truth::yes;
}

std::vector<evaluate::Truth> Binding::decide(evaluate::Enclosing how) const {
    std::vector<evaluate::Truth> truths = evaluate::decide(program(), inputs_, how);
    const std::vector<evaluate::Truth> values = have_values(how);
    for (std::size_t i = 0; i < truths.size(); ++i)
        if (values[i] != evaluate::Truth::yes) truths[i] = evaluate::Truth::unknown;
    return truths;
}

std::vector<evaluate::Truth> Binding::decide() const {
    std::vector<evaluate::Truth> truths = decide(evaluate::Enclosing::fast);
    const auto open = static_cast<std::size_t>(std::count(truths.begin(), truths.end(), evaluate::Truth::unknown));
    const bool one_by_one = inputs_.points > 1 && open <= most_doubtful;
    return open == 0 || one_by_one ? truths : decide(evaluate::Enclosing::rigorous);
}

evaluate::ExactValues Binding::exact_values() const {
    using Value = std::optional<numerics::Rational>;
    const auto single = [](const Enclosure& x) {
        return x.lo == x.hi && std::isfinite(x.lo) ? Value(numerics::exactly(x.lo)) : std::nullopt;
    };
    evaluate::ExactValues values;
    values.value = [this, single](const std::string& name) -> Value {
        const auto found = std::find(signature_.uniform.begin(), signature_.uniform.end(), name);
        if (found == signature_.uniform.end()) return std::nullopt;
        return single(inputs_.uniform[static_cast<std::size_t>(found - signature_.uniform.begin())]);
    };
    values.entry = [this, single](const std::string& name, const numerics::Rational& at) -> Value {
        const auto found = std::find(signature_.tables.begin(), signature_.tables.end(), name);
        const std::optional<std::int64_t> index = numerics::counted(at);
        if (found == signature_.tables.end() || !index) return std::nullopt;
        const auto number = static_cast<std::size_t>(found - signature_.tables.begin());
        const auto row = static_cast<std::size_t>(*index);
        if (*index < 0 || row >= tables_[number].size()) return std::nullopt;
        if (Value known = single(tables_[number][row])) return known;
        const Target& column = columns_[number];
        if (const auto grid = coordinates_of(*column.series, *column.column)) return grid->exact(row);
        return evaluate::exact_row(*column.series, *column.column, row);
    };
    return values;
}

evaluate::Truth Binding::decide_exactly() const {
    return evaluate::decide_exactly(tree_, exact_values());
}

std::optional<numerics::Rational> Binding::exact() const {
    return evaluate::exact_value(tree_, exact_values());
}

}  // namespace farfield::claim
