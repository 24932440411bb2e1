// A published table. Cells keep their printed text, and therefore the interval of the numbers that round to it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <set>
#include <sstream>

#include <farfield/core/printable.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/scheme/toml.hpp>

#include "numerics/rational.hpp"
#include "quantity/csv.hpp"
#include "quantity/kinds.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 6> table_keys = {
    Key{.name = "file",
        .type = KeyType::text,
        .meaning = "a TOML file with the keys rows, columns, cells, or a CSV file "
                   "whose first line has the columns' names and whose first column the rows'"},
    Key{.name = "at",
        .type = KeyType::text,
        .meaning = "the table inside a TOML file, as a dotted path (`chi.table1`)"},
    Key{.name = "rows", .type = KeyType::list, .meaning = "names of the rows, texts or numbers"},
    Key{.name = "columns", .type = KeyType::list, .meaning = "names of the columns, texts or numbers"},
    Key{.name = "cells",
        .type = KeyType::list,
        .unit = "[rows][columns]",
        .meaning = "the numbers as printed: texts (\"5.50\") or numbers; \"\" or \"-\" where there is none"},
    Key{.name = "exact",
        .type = KeyType::any,
        .fallback = "false",
        .meaning =
            "true, or a list of the columns whose numbers are exact (counts, lengths, 0/1 marks) and stand for no "
            "rounding interval"},
};

struct Printed {
    std::string text;
    core::Place place;
};

/// A table as written, before its shape and numbers are checked.
struct Written {
    core::Place place;
    std::vector<Printed> rows;
    std::vector<Printed> columns;
    std::vector<std::vector<Printed>> cells;
};

std::vector<Printed> read_printed(const core::Value& value, std::string_view what, core::Problems& problems) {
    std::vector<Printed> result;
    if (!value.list()) {
        problems.add(value.place, std::string(what) + " is " + std::string(value.type_name()),
                     "a list of texts or numbers");
        return result;
    }
    for (const core::Value& item : *value.list()) {
        if (!item.string() && !item.is_number())
            problems.add(item.place, "found " + std::string(item.type_name()), "a text or a number");
        result.push_back({item.string() ? *item.string() : item.text, item.place});
    }
    return result;
}

std::optional<Written> read_entries(const core::Entries& entries, const core::Place& owner, core::Problems& problems) {
    const core::Entry* rows = entries.find("rows");
    const core::Entry* columns = entries.find("columns");
    const core::Entry* cells = entries.find("cells");
    if (!rows || !columns || !cells) {
        problems.add(owner,
                     "a table without " + std::string(!rows      ? "rows"
                                                      : !columns ? "columns"
                                                                 : "cells"),
                     "file, or rows, columns and cells");
        return std::nullopt;
    }
    Written written{
        owner, read_printed(rows->value, "'rows'", problems), read_printed(columns->value, "'columns'", problems), {}};
    if (!cells->value.list()) {
        problems.add(cells->value.place, "'cells' is " + std::string(cells->value.type_name()),
                     "a list of rows, each a list");
        return std::nullopt;
    }
    for (const core::Value& row : *cells->value.list())
        written.cells.push_back(read_printed(row, "a row of cells", problems));
    written.place = cells->value.place;
    return written;
}

/// The table at a dotted path of a file.
const core::Entries* descend(const core::Entries& entries, const std::string& path, const core::Place& place,
                             core::Problems& problems) {
    const core::Entries* here = &entries;
    std::istringstream parts(path);
    for (std::string part; std::getline(parts, part, '.');) {
        const core::Entry* entry = here->find(part);
        if (!entry || !entry->value.entries()) {
            std::vector<std::string> known;
            for (const core::Entry& other : here->list)
                if (other.value.entries()) known.push_back(other.key);
            problems.add(place, "the file has no table '" + part + "'", "", core::known_here(part, known));
            return nullptr;
        }
        here = entry->value.entries();
    }
    return here;
}

Written read_csv(const std::string& path, const core::Place& place) {
    const auto lines = read_csv_file(path);
    Written written{place, {}, {}, {}};
    for (std::size_t line = 0; line < lines.size(); ++line) {
        std::vector<Printed> fields;
        for (const Field& field : lines[line]) fields.push_back({field.text, {path, field.line, field.column, 1, {}}});
        const Printed first = fields.front();
        fields.erase(fields.begin());
        if (line == 0) {
            written.columns = std::move(fields);
            continue;
        }
        written.rows.push_back(first);
        written.cells.push_back(std::move(fields));
    }
    return written;
}

std::optional<Written> read_written(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* file = declaration.settings.find("file");
    if (const core::Entry* at = declaration.settings.find("at"); at && !file)
        problems.add(at->key_place, "'at' without 'file'", "both, or rows, columns and cells");
    if (!file || !file->value.string()) return read_entries(declaration.settings, declaration.place, problems);
    for (const char* other : {"rows", "columns", "cells"}) {
        if (const core::Entry* entry = declaration.settings.find(other))
            problems.add(entry->key_place, "'" + entry->key + "' beside 'file'", "one of the two");
    }
    const std::filesystem::path path = std::filesystem::path(declaration.folder) / *file->value.string();
    const core::Entry* at = declaration.settings.find("at");
    std::error_code failure;
    using Type = std::filesystem::file_type;
    if (const Type type = std::filesystem::status(path, failure).type(); type != Type::regular && type != Type::none) {
        const std::string name = "'" + path.string() + "'";
        problems.add(file->value.place,
                     type == Type::directory   ? name + " is a folder"
                     : type == Type::not_found ? "cannot read " + name
                                               : name + " is not a regular file",
                     "a TOML or CSV file, named from the study's folder");
        return std::nullopt;
    }
    if (at && path.extension() != ".toml") {
        problems.add(at->key_place, "'at' of a CSV file", "a TOML file, or no 'at'");
        return std::nullopt;
    }
    if (path.extension() != ".toml") return read_csv(path.string(), file->value.place);
    const core::Entries entries = scheme::read_toml_file(path.string(), scheme::Excerpts::none);
    const bool is_inside = at && at->value.string();
    const core::Entries* table =
        is_inside ? descend(entries, *at->value.string(), at->value.place, problems) : &entries;
    return table ? read_entries(*table, is_inside ? at->value.place : file->value.place, problems) : std::nullopt;
}

bool is_no_number(const std::string& text) {
    static const std::set<std::string, std::less<>> marks = {"", "-", "–", "—"};
    return marks.contains(text);
}

core::Cell make_cell(const Printed& printed, bool is_exact, core::Problems& problems) {
    if (is_no_number(printed.text)) return core::Cell::missing();
    const std::optional<core::Enclosure> interval = core::rounding_interval(printed.text);
    if (!interval) {
        problems.add(printed.place, "'" + core::shortened(printed.text) + "' is not a number",
                     "a decimal number as printed, or \"-\" for none", "marks and units go into columns of their own");
        return core::Cell::missing();
    }
    const double number = std::strtod(printed.text.c_str(), nullptr);
    if (!is_exact) return {number, printed.text, *interval, core::Rigour::rounding};
    const numerics::Interval decimal = numerics::enclose_decimal(printed.text);
    core::Cell cell{number, printed.text, core::Enclosure{decimal.lo, decimal.hi}, core::Rigour::exact};
    if (decimal.lo < decimal.hi)
        if (const auto value = numerics::read_rational(printed.text)) cell.rational = numerics::rational_text(*value);
    return cell;
}

std::vector<std::string> unique_names(const std::vector<Printed>& written, std::string_view what,
                                      core::Problems& problems) {
    std::vector<std::string> names;
    std::set<std::string_view> known;
    for (const Printed& name : written) {
        if (name.text.empty()) problems.add(name.place, "a " + std::string(what) + " without a name", "a text");
        if (!known.insert(name.text).second)
            problems.add(name.place, "two " + std::string(what) + "s are named '" + core::shortened(name.text) + "'",
                         "a name for each");
        names.push_back(name.text);
    }
    return names;
}

std::vector<bool> exact_columns(const core::Entry* entry, const std::vector<std::string>& columns,
                                core::Problems& problems) {
    std::vector<bool> exact(columns.size(), entry && entry->value.boolean() && *entry->value.boolean());
    if (!entry || entry->value.boolean()) return exact;
    if (entry->value.list() && entry->value.list()->empty())
        problems.add(entry->value.place, "'exact' is empty", "true, or at least one column");
    std::set<std::string> known;
    for (const Printed& name : read_printed(entry->value, "'exact'", problems)) {
        if (!known.insert(name.text).second)
            problems.add(name.place, "'" + core::shortened(name.text) + "' is listed twice in 'exact'",
                         "each column once");
        const auto found = std::find(columns.begin(), columns.end(), name.text);
        if (found == columns.end()) {
            problems.add(name.place, "no column '" + name.text + "'", "", core::known_here(name.text, columns));
            continue;
        }
        exact[static_cast<std::size_t>(found - columns.begin())] = true;
    }
    return exact;
}

void check_shape(const Written& written, core::Problems& problems) {
    if (written.rows.empty() || written.columns.empty())
        problems.add(written.place, "a table without " + std::string(written.rows.empty() ? "rows" : "columns"),
                     "at least one row and one column");
    if (written.cells.size() != written.rows.size())
        problems.add(written.place, std::to_string(written.cells.size()) + " rows of cells",
                     std::to_string(written.rows.size()) + ", as 'rows' has names");
    for (const auto& row : written.cells) {
        if (row.size() != written.columns.size())
            problems.add(row.empty() ? written.place : row.front().place,
                         "a row of " + std::to_string(row.size()) + " cells",
                         std::to_string(written.columns.size()) + ", as there are columns");
    }
}

std::optional<core::Table> make_table(const Written& written, const core::Entry* exact, core::Problems& problems) {
    const std::size_t before = problems.reports();
    core::Table table;
    table.rows = unique_names(written.rows, "row", problems);
    table.columns = unique_names(written.columns, "column", problems);
    check_shape(written, problems);
    const std::vector<bool> is_exact = exact_columns(exact, table.columns, problems);
    if (problems.reports() != before) return std::nullopt;
    for (const auto& row : written.cells) {
        for (std::size_t column = 0; column < row.size(); ++column)
            table.cells.push_back(make_cell(row[column], is_exact[column], problems));
    }
    if (problems.reports() != before) return std::nullopt;
    return table;
}

/// The same cells by the numbers of their row and column, both from 0, for conditions over many cells. A cell without a
/// number is NaN. The series has the rigour of its weakest cell, exact or printed.
core::Series make_series(const core::Table& table) {
    core::Series series;
    series.variables = 2;
    series.rigour = core::Rigour::exact;
    series.columns = {{"row", {}, {}}, {"column", {}, {}}, {"cell", {}, {}}};
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t at = 0; at < table.cells.size(); ++at) {
        const core::Cell& cell = table.cells[at];
        const std::size_t row = at / table.columns.size();
        series.columns[0].values.push_back(static_cast<double>(row));
        series.columns[1].values.push_back(static_cast<double>(at % table.columns.size()));
        series.columns[2].values.push_back(cell.number.value_or(none));
        series.columns[2].enclosures.push_back(cell.enclosure.value_or(core::Enclosure{none, none}));
        if (cell.rigour == core::Rigour::rounding) series.rigour = core::Rigour::rounding;
    }
    return series;
}

class PreparedTable : public Prepared {
public:
    explicit PreparedTable(core::Table table) : table_(std::move(table)) {}

    double cost() const override { return static_cast<double>(table_.cells.size()); }

    core::Result run(const Inputs&) const override {
        core::Result result;
        result.table = table_;
        result.series = make_series(table_);
        const auto has_number = [](const core::Cell& cell) { return cell.number.has_value(); };
        result.set("rows", core::Cell::exact(static_cast<double>(table_.rows.size())));
        result.set("columns", core::Cell::exact(static_cast<double>(table_.columns.size())));
        result.set("numbers", core::Cell::exact(static_cast<double>(
                                  std::count_if(table_.cells.begin(), table_.cells.end(), has_number))));
        return result;
    }

private:
    core::Table table_;
};

std::unique_ptr<Prepared> prepare_table(const Declaration& declaration, core::Problems& problems) {
    const std::optional<Written> written = read_written(declaration, problems);
    if (!written) return nullptr;
    std::optional<core::Table> table = make_table(*written, declaration.settings.find("exact"), problems);
    if (!table) return nullptr;
    return std::make_unique<PreparedTable>(std::move(*table));
}

}  // namespace

const Kind& table_kind() {
    static const Kind kind{"table",
                           "published numbers with the interval that each printed digit string stands for",
                           table_keys,
                           false,
                           prepare_table,
                           SearchRule::none,
                           {"rows >= 1 and rows == floor(rows) and columns >= 1 and columns == floor(columns) and "
                            "numbers >= 0 and numbers == floor(numbers)"}};
    return kind;
}

}  // namespace farfield::quantity
