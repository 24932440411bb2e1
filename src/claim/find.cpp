#include "claim/find.hpp"

#include <algorithm>

#include <farfield/core/diagnostic.hpp>
#include <farfield/formula/printer.hpp>

#include <fmt/format.h>

#include "numerics/progression.hpp"

namespace farfield::claim {

using core::Result;
using formula::Kind;

namespace {

std::vector<std::string> fields_of(const Result& result) {
    std::vector<std::string> names;
    for (const auto& [name, cell] : result.values) names.push_back(name);
    return names;
}

std::string in_quotes(std::string_view name) {
    return "'" + std::string(name) + "'";
}

std::string with_article(const std::string& kind) {
    const bool is_vowel = !kind.empty() && std::string_view("aeiou").find(kind.front()) != std::string_view::npos;
    return (is_vowel ? "an " : "a ") + kind;
}

NameProblem unknown_field(const Result& result, const std::string& field) {
    return {in_quotes(result.name) + ", " + with_article(result.kind) + ", has no field " + in_quotes(field), "",
            core::known_here(field, fields_of(result))};
}

Target find_value(const Mention& mention, const Result& result, std::optional<NameProblem>& problem) {
    const std::string& field = mention.reference.field;
    if (const core::Cell* cell = result.find(field.empty() ? "value" : field)) return {cell, nullptr, nullptr};
    const bool is_column = result.series && (field.empty() || result.series->find(field));
    if (is_column) {
        problem = {in_quotes(mention.node->text) + " is a series", "one of its values: " + mention.node->text + "[3]",
                   ""};
    } else if (field.empty()) {
        problem = {in_quotes(result.name) + ", " + with_article(result.kind) + ", is not a single number",
                   "one of its fields", core::known_here("value", fields_of(result))};
    } else {
        problem = unknown_field(result, field);
    }
    return {};
}

Target find_cell(const Mention& mention, const Result& result, std::optional<NameProblem>& problem) {
    const auto& indexes = mention.node->children;
    if (!result.table || !mention.reference.field.empty()) {
        problem = {in_quotes(mention.node->text) + " is not a table",
                   "a quantity of kind table before ['row', 'column']", ""};
        return {};
    }
    if (indexes.size() != 2) {
        problem = {"a table has a row and a column", result.name + "['row', 'column']", ""};
        return {};
    }
    if (indexes[0]->kind != Kind::text || indexes[1]->kind != Kind::text) {
        problem = {"a cell of " + in_quotes(result.name) + " is asked for by a name and a number",
                   "two names, " + result.name + "['row', 'column'], or two numbers, " + result.name + "[i, j]", ""};
        return {};
    }
    const std::string& row = indexes[0]->text;
    const std::string& column = indexes[1]->text;
    const core::Table& table = *result.table;
    if (const core::Cell* cell = table.find(row, column)) return {cell, nullptr, nullptr};
    const bool has_row = std::find(table.rows.begin(), table.rows.end(), row) != table.rows.end();
    problem = has_row ? NameProblem{"table " + in_quotes(result.name) + " has no column " + in_quotes(column), "",
                                    core::known_here(column, table.columns)}
                      : NameProblem{"table " + in_quotes(result.name) + " has no row " + in_quotes(row), "",
                                    core::known_here(row, table.rows)};
    return {};
}

/// "nll[64]" for the mention q.nll[64]; empty if an index is not a plain number.
std::string indexed_field(const Mention& mention) {
    std::string name = mention.reference.field + "[";
    for (const formula::Node& index : mention.node->children) {
        if (index->kind != Kind::number) return {};
        if (name.back() != '[') name += ",";
        name += formula::print(index);
    }
    return name + "]";
}

const core::Column* series_column(const core::Series& series, const std::string& field) {
    if (!field.empty()) return series.find(field);
    return series.variables < series.columns.size() ? &series.columns[series.variables] : nullptr;
}

Target find_indexed(const Mention& mention, const Result& result, std::optional<NameProblem>& problem) {
    const std::string& field = mention.reference.field;
    const std::string name = field.empty() ? "" : indexed_field(mention);
    if (!name.empty()) {
        if (const core::Cell* cell = result.find(name)) return {cell, nullptr, nullptr};
    }
    const core::Column* column = result.series ? series_column(*result.series, field) : nullptr;
    if (!column) {
        problem = name.empty()
                      ? NameProblem{in_quotes(mention.node->text) + " is not a series", "a quantity with a series", ""}
                      : unknown_field(result, name);
        return {};
    }
    const std::size_t wanted = result.series->variables;
    if (mention.node->children.size() != wanted) {
        problem = {in_quotes(mention.node->text) + " has " + std::to_string(mention.node->children.size()) +
                       (mention.node->children.size() == 1 ? " index" : " indexes"),
                   std::to_string(wanted), ""};
        return {};
    }
    return {nullptr, &*result.series, column};
}

/// " = 8, 16" of few values, " from 0 to 8191" of many.
std::string values_of(const core::Column& column) {
    constexpr std::size_t most_listed = 8;
    std::vector<double> values = column.values;
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > most_listed) {
        const auto grid = numerics::progression_of(column);
        return fmt::format(" from {} to {}", values.front(), values.back()) +
               (grid && grid->step() != 1 ? " in steps of " + numerics::rational_text(grid->step()) : "");
    }
    std::string text;
    for (const double value : values) text += (text.empty() ? " = " : ", ") + fmt::format("{}", value);
    return text;
}

/// Whether a coordinate equals the number. The coordinate of a grid is exact; another is the decimal of its text.
bool is_coordinate(const core::Column& column, std::size_t row, const numerics::Rational& wanted) {
    const double near = column.values[row];
    if (!column.steps)
        return std::isfinite(near) && (wanted == numerics::exactly(near) || wanted == numerics::shortest_decimal(near));
    const auto grid = numerics::progression_of(column);
    return grid && wanted == grid->exact(row);
}

}  // namespace

const Result* find_result(const std::vector<const Result*>& results, std::string_view name) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const Result* each) { return each->name == name; });
    return found == results.end() ? nullptr : *found;
}

Target find_target(const Mention& mention, const Result& result, std::optional<NameProblem>& problem) {
    const auto& indexes = mention.node->children;
    if (indexes.empty()) return find_value(mention, result, problem);
    const bool by_text =
        std::any_of(indexes.begin(), indexes.end(), [](const auto& each) { return each->kind == Kind::text; });
    return by_text ? find_cell(mention, result, problem) : find_indexed(mention, result, problem);
}

std::size_t row_at(const core::Series& series, const std::vector<std::optional<numerics::Rational>>& coordinates) {
    for (const auto& each : coordinates)
        if (!each) return series.rows();
    std::vector<double> near;
    near.reserve(coordinates.size());
    for (const auto& each : coordinates) near.push_back(numerics::nearest(*each));
    const auto matches = [&](std::size_t at) {
        for (std::size_t v = 0; v < coordinates.size(); ++v) {
            // Compare doubles first: this is fast and distinguishes nearly all values.
            if (series.columns[v].values[at] != near[v] || !is_coordinate(series.columns[v], at, *coordinates[v]))
                return false;
        }
        return true;
    };
    std::size_t row = 0;
    while (row < series.rows() && !matches(row)) ++row;
    return row;
}

std::optional<NameProblem> problem_of_row(const std::string& mention, const core::Series& series,
                                          const std::vector<std::optional<numerics::Rational>>& coordinates) {
    const bool are_known =
        std::all_of(coordinates.begin(), coordinates.end(), [](const auto& each) { return each.has_value(); });
    if (!are_known || row_at(series, coordinates) < series.rows()) return std::nullopt;
    std::string at;
    std::string known;
    for (std::size_t v = 0; v < coordinates.size(); ++v) {
        const core::Column& column = series.columns[v];
        at += (v == 0 ? "" : ", ") + column.name + " = " + numerics::rational_text(*coordinates[v]);
        known += (v == 0 ? "" : ", ") + column.name + values_of(column);
    }
    return NameProblem{in_quotes(mention) + " has no row at " + at, known, ""};
}

}  // namespace farfield::claim
