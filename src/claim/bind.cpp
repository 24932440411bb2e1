#include "claim/bind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/formula/printer.hpp>

#include "claim/expand.hpp"
#include "claim/rational.hpp"

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

Cell cell_at(const core::Series& series, const core::Column& column, std::size_t row) {
    if (row >= column.values.size()) return Cell::missing();
    Cell cell = Cell::of(column.values[row]);
    if (row < column.enclosures.size()) {
        cell.enclosure = column.enclosures[row];
        cell.rigour = series.rigour;
    }
    return cell;
}

bool mentions_bound(const Node& node, const std::vector<std::string>& bound) {
    const auto names = formula::free_names(node);
    return std::any_of(names.begin(), names.end(),
                       [&](const auto& name) { return std::find(bound.begin(), bound.end(), name) != bound.end(); });
}

/// Coordinates that go up by a constant whole step: what a lookup in a loop needs.
struct Grid {
    double from = 0;
    double step = 1;
    std::size_t count = 0;
};

std::optional<Grid> whole_grid(const std::vector<double>& values, std::size_t stride) {
    if (values.empty()) return std::nullopt;
    Grid grid{values.front(), 1, values.size() / stride};
    if (grid.count > 1) grid.step = values[stride] - values[0];
    if (std::floor(grid.from) != grid.from || std::floor(grid.step) != grid.step || grid.step == 0) return std::nullopt;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::size_t steps = i / stride;
        if (values[i] != grid.from + grid.step * static_cast<double>(steps)) return std::nullopt;
    }
    return grid;
}

Node offset(const Node& index, const Grid& grid) {
    Node moved = index;
    if (grid.from != 0) moved = formula::make(Op::subtract, {moved, formula::make_number(grid.from)});
    if (grid.step != 1) moved = formula::make(Op::divide, {moved, formula::make_number(grid.step)});
    return moved;
}

/// A lookup beyond the last query's keys must not land in the next row of a matrix.
Node offset_within(const Node& outer, const Grid& rows, const Node& inner, const Grid& keys) {
    const Node column = offset(inner, keys);
    const Node last = formula::make_number(static_cast<double>(keys.count - 1));
    const Node inside =
        formula::make(Op::logical_and, {formula::make(Op::less_equal, {formula::make_number("0"), column}),
                                        formula::make(Op::less_equal, {column, last})});
    const Node row =
        formula::make(Op::multiply, {offset(outer, rows), formula::make_number(static_cast<double>(keys.count))});
    return formula::make(Op::select, {inside, formula::make(Op::add, {row, column}),
                                      formula::make(Op::negate, {formula::make_number("1")})});
}

std::vector<Enclosure> enclosures_of(const core::Column& column) {
    std::vector<Enclosure> enclosures = column.enclosures;
    if (!enclosures.empty()) return enclosures;
    enclosures.reserve(column.values.size());
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
            points[i] = Enclosure::exactly(varying->from + static_cast<double>(i));
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
        return input(enclosure_of(cell));
    }
    // The decimal that the source prints is exact as a decimal: it goes in as a literal.
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
    std::vector<double> wanted;
    std::string label = node->text + "[";
    for (const Node& index : node->children) {
        const Binding inner(index, results_, nullptr);
        for (const Used& used : inner.used()) use(used);
        const Enclosure at = inner.enclose().front();
        wanted.push_back(at.lo == at.hi ? at.lo : nan);
        label += (wanted.size() > 1 ? "," : "") + formula::print(formula::make_number(wanted.back()));
    }
    std::size_t row = 0;
    const auto matches = [&](std::size_t at) {
        for (std::size_t v = 0; v < wanted.size(); ++v) {
            if (series.columns[v].values[at] != wanted[v]) return false;
        }
        return true;
    };
    while (row < series.rows() && !matches(row)) ++row;
    const Cell cell = cell_at(series, *target.column, row);
    use({label + "]", cell});
    return input(enclosure_of(cell));
}

Node Binding::bind_table(const Node& node, const Target& target, const std::vector<std::string>& bound) {
    const core::Series& series = *target.series;
    use({node->text, Cell{std::nullopt, {}, std::nullopt, series.rigour}, true});
    std::vector<std::string> inner = bound;
    std::vector<Node> indexes;
    for (const Node& index : node->children) indexes.push_back(bind(index, inner));
    Node at;
    if (indexes.size() == 1) {
        if (const auto grid = whole_grid(series.columns[0].values, 1)) at = offset(indexes[0], *grid);
    } else if (indexes.size() == 2) {
        const auto& queries = series.columns[0].values;
        std::size_t keys = 0;
        while (keys < queries.size() && queries[keys] == queries[0]) ++keys;
        const auto rows = keys > 0 && queries.size() % keys == 0 ? whole_grid(queries, keys) : std::nullopt;
        const auto& all = series.columns[1].values;
        const auto columns =
            rows ? whole_grid({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(keys)}, 1) : std::nullopt;
        if (columns) at = offset_within(indexes[0], *rows, indexes[1], *columns);
    }
    if (!at) return input(unknown());
    return formula::make_index(table_of(*target.column), {at});
}

const std::string& Binding::table_of(const core::Column& column) {
    const auto known = std::find(columns_.begin(), columns_.end(), &column);
    if (known != columns_.end()) return signature_.tables[static_cast<std::size_t>(known - columns_.begin())];
    columns_.push_back(&column);
    signature_.tables.push_back("series " + std::to_string(signature_.tables.size()));
    tables_.push_back(enclosures_of(column));
    return signature_.tables.back();
}

formula::Program Binding::program() const {
    return formula::compile(tree_, signature_);
}

std::vector<Enclosure> Binding::enclose() const {
    return evaluate::enclose(program(), inputs_);
}

std::vector<evaluate::Truth> Binding::decide() const {
    const formula::Program compiled = program();
    std::vector<evaluate::Truth> truths = evaluate::decide(compiled, inputs_, evaluate::Enclosing::fast);
    const auto open = static_cast<std::size_t>(std::count(truths.begin(), truths.end(), evaluate::Truth::unknown));
    const bool one_by_one = inputs_.points > 1 && open <= most_doubtful;
    if (open == 0 || one_by_one) return truths;
    return evaluate::decide(compiled, inputs_, evaluate::Enclosing::rigorous);
}

evaluate::Truth Binding::decide_exactly() const {
    const auto single = [](const Enclosure& x) { return x.lo == x.hi ? std::optional(x.lo) : std::nullopt; };
    ExactValues values;
    values.value = [&](const std::string& name) -> std::optional<double> {
        const auto found = std::find(signature_.uniform.begin(), signature_.uniform.end(), name);
        if (found == signature_.uniform.end()) return std::nullopt;
        return single(inputs_.uniform[static_cast<std::size_t>(found - signature_.uniform.begin())]);
    };
    values.entry = [&](const std::string& name, double index) -> std::optional<double> {
        const auto found = std::find(signature_.tables.begin(), signature_.tables.end(), name);
        if (found == signature_.tables.end()) return std::nullopt;
        const auto& table = tables_[static_cast<std::size_t>(found - signature_.tables.begin())];
        if (!(index >= 0 && index < static_cast<double>(table.size()))) return std::nullopt;
        return single(table[static_cast<std::size_t>(index)]);
    };
    return claim::decide_exactly(tree_, values);
}

}  // namespace farfield::claim
