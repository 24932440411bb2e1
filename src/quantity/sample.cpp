#include "quantity/sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include <farfield/numerics/interval_functions.hpp>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 5> part_keys = {
    Key{.name = "of", .type = KeyType::any, .required = true, .meaning = "name of a quantity, or a list of names"},
    Key{.name = "column", .type = KeyType::text, .meaning = "the sample is this column of the table"},
    Key{.name = "row", .type = KeyType::text, .meaning = "the sample is this row of the table"},
    Key{.name = "value", .type = KeyType::text, .meaning = "the sample is this value of each quantity"},
    Key{.name = "seeds", .type = KeyType::text, .meaning = "the sample is this value at each seed"},
};

constexpr const char* parts = "one of row, column, value, seeds: { of = \"ppl\", seeds = \"nll[64]\" }";

std::optional<core::Cell> read_cell(const core::Value& value) {
    const std::string text = value.string() ? *value.string() : value.text;
    const std::optional<core::Enclosure> rounding = core::rounding_interval(text);
    if (!rounding) return std::nullopt;
    const double number = std::strtod(text.c_str(), nullptr);
    if (value.string()) return core::Cell{number, text, rounding, core::Rigour::rounding};
    const numerics::Interval decimal = numerics::enclose_decimal(text);
    return core::Cell{number, {}, core::Enclosure{decimal.lo, decimal.hi}, core::Rigour::exact};
}

/// The declared items of a name: itself, or all items of a sweep.
std::vector<std::string> items_of(const Declaration& declaration, const std::string& name) {
    std::vector<std::string> found;
    for (const std::string& item : declaration.items) {
        if (item == name || item.starts_with(name + "[")) found.push_back(item);
    }
    return found;
}

/// "nll[64,seed=3]" is "nll[64]" at a seed, "erf[seed=3]" is "erf".
bool is_at_seed(std::string_view field, std::string_view name) {
    const bool is_indexed = name.ends_with(']');
    const std::string stem =
        is_indexed ? std::string(name.substr(0, name.size() - 1)) + ",seed=" : std::string(name) + "[seed=";
    return field.starts_with(stem);
}

void add_series(const core::Series& series, std::string_view of, std::vector<Observation>& found) {
    const core::Column& column = series.columns[series.variables];
    for (std::size_t i = 0; i < column.values.size(); ++i) {
        core::Cell made =
            column.enclosures.empty() ? core::Cell::of(column.values[i]) : cell(column.values[i], column.enclosures[i]);
        if (made.enclosure) made.rigour = series.rigour;
        const std::string number = std::to_string(i + 1);
        found.push_back({std::string(of) + " " + number,
                         std::move(made),
                         {{"of", std::string(of)}, {"column", column.name}, {"point", number}}});
    }
}

}  // namespace

SampleSource::SampleSource(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry) return;
    const core::Value& value = entry->value;
    place_ = value.place;
    if (value.list()) {
        read_list(*value.list(), problems);
    } else if (value.entries()) {
        read_part(*value.entries(), declaration, problems);
    } else if (value.string()) {
        read_names(value, declaration, problems);
    } else {
        problems.add(place_, "a sample is " + std::string(value.type_name()),
                     "a list of numbers or the name of a quantity");
    }
}

void SampleSource::read_list(const core::List& list, core::Problems& problems) {
    if (list.empty()) problems.add(place_, "an empty sample", "numbers, or the name of a quantity");
    for (const core::Value& item : list) {
        const std::optional<core::Cell> cell = read_cell(item);
        if (cell)
            given_.push_back({std::to_string(given_.size() + 1),
                              *cell,
                              {{item.string() ? "printed" : "", item.string() ? *item.string() : item.text}},
                              item.string() ? std::nullopt : exact_number(item)});
        else
            problems.add(item.place,
                         "found " + (item.is_number() ? item.text : std::string(item.type_name())) + " in a sample",
                         "a decimal number");
    }
}

void SampleSource::read_part(const core::Entries& table, const Declaration& declaration, core::Problems& problems) {
    const core::Entries entries = core::corrected(table, {part_keys}, problems);
    core::check_keys(entries, {part_keys}, place_, problems);
    constexpr std::array<std::pair<const char*, Part>, 4> choices = {
        {{"row", Part::row}, {"column", Part::column}, {"value", Part::value}, {"seeds", Part::seeds}}};
    int given = 0;
    for (const auto& [key, part] : choices) {
        const std::optional<std::string> name = core::read_text(entries, key);
        if (!name) continue;
        ++given;
        part_ = part;
        part_name_ = *name;
    }
    if (given != 1)
        problems.add(place_, given == 0 ? "a part of a result without its name" : "several parts of a result", parts);
    if (const core::Entry* of = entries.find("of")) read_names(of->value, declaration, problems);
    const bool is_of_one = part_ != Part::value;
    if (given == 1 && is_of_one && of_.size() > 1)
        problems.add(place_, "a " + std::string("sample of ") + std::to_string(of_.size()) + " quantities",
                     "one, or `value` in place of the part");
}

void SampleSource::read_names(const core::Value& value, const Declaration& declaration, core::Problems& problems) {
    const core::List alone = {value};
    for (const core::Value& each : value.list() ? *value.list() : alone) {
        if (!each.string()) {
            problems.add(each.place, "'of' is " + std::string(each.type_name()), "the name of a quantity");
            continue;
        }
        const std::vector<std::string> items = items_of(declaration, *each.string());
        if (items.empty())
            problems.add(each.place, "no quantity is named '" + *each.string() + "'", "",
                         core::known_here(*each.string(), declaration.known));
        of_.insert(of_.end(), items.begin(), items.end());
    }
}

bool SampleSource::is_same(const SampleSource& other) const {
    const auto is_same_number = [](const Observation& a, const Observation& b) {
        return a.cell.number == b.cell.number && a.cell.printed == b.cell.printed && a.exact == b.exact;
    };
    return of_ == other.of_ && part_ == other.part_ && part_name_ == other.part_name_ &&
           std::equal(given_.begin(), given_.end(), other.given_.begin(), other.given_.end(), is_same_number);
}

bool SampleSource::is_constant() const {
    return given_.size() > 1 && std::all_of(given_.begin(), given_.end(), [&](const Observation& each) {
               return each.cell.number == given_.front().cell.number && each.exact == given_.front().exact;
           });
}

std::vector<Observation> SampleSource::observe(const Inputs& inputs) const {
    std::vector<Observation> found = given_;
    for (const std::string& name : of_) add_part(inputs.result(name), name, found);
    for (const Observation& each : found) {
        if (!each.cell.number || !std::isfinite(*each.cell.number))
            refuse("number " + std::to_string(&each - found.data() + 1) + " of the sample is missing: " + each.name,
                   "a finite number in every place");
    }
    return found;
}

void SampleSource::add_part(const core::Result& result, std::string_view of, std::vector<Observation>& found) const {
    const std::string name(of);
    if (part_ == Part::value) {
        const core::Cell* cell = result.find(part_name_);
        if (!cell) refuse("'" + name + "' has no value '" + part_name_ + "'", "a value that it has");
        found.push_back({name + "." + part_name_, *cell, {{"of", name}, {"value", part_name_}}});
        return;
    }
    if (part_ == Part::seeds) {
        const std::size_t before = found.size();
        for (const auto& [field, cell] : result.values)
            if (is_at_seed(field, part_name_))
                found.push_back({name + "." + field, cell, {{"of", name}, {"value", field}}});
        if (found.size() == before)
            refuse("'" + name + "' has no '" + part_name_ + "' of a seed", "a value of trained models");
        return;
    }
    if (part_ == Part::series) {
        if (!result.series || result.series->columns.size() <= result.series->variables)
            refuse("'" + name + "' has no series", "a list of numbers, a quantity with a series, or { of, row }");
        add_series(*result.series, of, found);
        return;
    }
    if (!result.table)
        refuse("'" + name + "' has no table", "a list of numbers, a quantity with a series, or a part of a table");
    const bool is_row = part_ == Part::row;
    const std::vector<std::string>& names = is_row ? result.table->rows : result.table->columns;
    if (std::find(names.begin(), names.end(), part_name_) == names.end())
        refuse("'" + name + "' has no " + (is_row ? "row" : "column") + " '" + part_name_ + "'",
               core::known_here(part_name_, names));
    for (const std::string& other : is_row ? result.table->columns : result.table->rows) {
        const std::string &row = is_row ? part_name_ : other, &column = is_row ? other : part_name_;
        found.push_back({other, *result.table->find(row, column), {{"of", name}, {"row", row}, {"column", column}}});
    }
}

void SampleSource::refuse(std::string found, std::string wanted) const {
    throw core::UserError({core::Diagnostic{place_, std::move(found), std::move(wanted), {}}});
}

std::optional<numerics::Rational> exact_value(const Observation& observation) {
    const core::Cell& cell = observation.cell;
    if (observation.exact) return observation.exact;
    if (!cell.rational.empty()) return numerics::read_rational(cell.rational);
    const core::Enclosure value = cell.enclosure.value_or(core::Enclosure::exactly(*cell.number));
    if (value.lo != value.hi || !std::isfinite(value.lo)) return std::nullopt;
    return numerics::exactly(value.lo);
}

bool is_constant(const std::vector<Observation>& sample) {
    const std::optional<numerics::Rational> first = exact_value(sample.front());
    return first && std::all_of(sample.begin() + 1, sample.end(),
                                [&](const Observation& each) { return exact_value(each) == first; });
}

bool has_constant_difference(const std::vector<Observation>& a, const std::vector<Observation>& b) {
    std::optional<numerics::Rational> first;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const std::optional<numerics::Rational> x = exact_value(a[i]), y = exact_value(b[i]);
        if (!x || !y) return false;
        const numerics::Rational difference = *x - *y;
        if (first && difference != *first) return false;
        first = difference;
    }
    return true;
}

void state_origins(core::Evidence& evidence, const std::string& key, const std::vector<Observation>& observations) {
    constexpr std::size_t most = 1000;
    if (observations.size() > most) return;
    for (std::size_t i = 0; i < observations.size(); ++i)
        for (const auto& [name, text] : observations[i].origin)
            evidence.add(key + "." + std::to_string(i) + (name.empty() ? "" : ".") + name, text);
}

std::vector<double> numbers_of(const std::vector<Observation>& observations) {
    std::vector<double> numbers;
    numbers.reserve(observations.size());
    for (const Observation& each : observations) numbers.push_back(*each.cell.number);
    return numbers;
}

}  // namespace farfield::quantity
