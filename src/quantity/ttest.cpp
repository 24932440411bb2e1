// Student's t-test of two samples, paired or not.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/statistics.hpp>

#include "quantity/kinds.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;
using numerics::Interval;
using numerics::point;

constexpr std::array<Key, 4> keys = {
    Key{.name = "a",
        .type = KeyType::any,
        .required = true,
        .meaning = "a sample: a list of numbers (texts stand for their rounding interval), the name of a quantity with "
                   "a series, "
                   "or { of = table, column = name } or { of = table, row = name }"},
    Key{.name = "b", .type = KeyType::any, .required = true, .meaning = "the other sample"},
    Key{.name = "paired",
        .type = KeyType::boolean,
        .fallback = "false",
        .meaning = "whether a and b were measured on the same subjects in the same order (the same seeds)"},
    Key{.name = "equal_variances",
        .type = KeyType::boolean,
        .fallback = "true",
        .meaning = "not paired: pool both variances (Student), or not (Welch)"},
};

constexpr std::array<Key, 3> part_keys = {
    Key{.name = "of", .type = KeyType::text, .required = true, .meaning = "name of a table"},
    Key{.name = "column", .type = KeyType::text, .meaning = "the sample is this column"},
    Key{.name = "row", .type = KeyType::text, .meaning = "the sample is this row"},
};

/// Where a sample comes from: cells of the study, or another quantity's result.
struct Source {
    core::Place place;
    std::vector<core::Cell> cells;
    std::string of;
    std::string row;
    std::string column;
};

std::optional<core::Cell> read_cell(const core::Value& value) {
    const std::string text = value.string() ? *value.string() : value.text;
    const std::optional<core::Enclosure> rounding = core::rounding_interval(text);
    if (!rounding) return std::nullopt;
    const double number = std::strtod(text.c_str(), nullptr);
    if (value.string()) return core::Cell{number, text, rounding, core::Rigour::rounding};
    const Interval decimal = numerics::enclose_decimal(text);
    return core::Cell{number, {}, core::Enclosure{decimal.lo, decimal.hi}, core::Rigour::exact};
}

void check_known(const Declaration& declaration, const std::string& name, const core::Place& place,
                 core::Problems& problems) {
    if (std::find(declaration.known.begin(), declaration.known.end(), name) != declaration.known.end()) return;
    problems.add(place, "no quantity is named '" + name + "'", "", core::known_here(name, declaration.known));
}

void read_part(const core::Entries& entries, Source& source, core::Problems& problems) {
    core::check_keys(entries, {part_keys}, source.place, problems);
    source.of = core::read_text(entries, "of").value_or("");
    source.column = core::read_text(entries, "column").value_or("");
    source.row = core::read_text(entries, "row").value_or("");
    if (source.column.empty() == source.row.empty())
        problems.add(source.place,
                     source.row.empty() ? "a part of a table without its name" : "both 'row' and 'column'",
                     "{ of = table, column = name } or { of = table, row = name }");
}

Source read_source(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    Source source;
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry) return source;
    const core::Value& value = entry->value;
    source.place = value.place;
    if (value.list()) {
        for (const core::Value& item : *value.list()) {
            const std::optional<core::Cell> cell = read_cell(item);
            if (!cell)
                problems.add(item.place, "found " + std::string(item.type_name()) + " in a sample", "a decimal number");
            if (cell) source.cells.push_back(*cell);
        }
    } else if (value.entries()) {
        read_part(*value.entries(), source, problems);
    } else if (value.string()) {
        source.of = *value.string();
    } else {
        problems.add(value.place, "a sample is " + std::string(value.type_name()),
                     "a list of numbers or the name of a quantity");
    }
    if (!source.of.empty()) check_known(declaration, source.of, value.place, problems);
    return source;
}

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), {}}});
}

std::vector<core::Cell> table_cells(const Source& source, const core::Table& table) {
    const bool is_row = !source.row.empty();
    const std::vector<std::string>& names = is_row ? table.rows : table.columns;
    const std::string& wanted = is_row ? source.row : source.column;
    if (std::find(names.begin(), names.end(), wanted) == names.end())
        refuse(source.place, "'" + source.of + "' has no " + (is_row ? "row" : "column") + " '" + wanted + "'",
               core::known_here(wanted, names));
    std::vector<core::Cell> cells;
    for (const std::string& other : is_row ? table.columns : table.rows)
        cells.push_back(is_row ? *table.find(wanted, other) : *table.find(other, wanted));
    return cells;
}

std::vector<core::Cell> series_cells(const core::Series& series) {
    const core::Column& column = series.columns[series.variables];
    std::vector<core::Cell> cells;
    for (std::size_t i = 0; i < column.values.size(); ++i) {
        core::Cell made =
            column.enclosures.empty() ? core::Cell::of(column.values[i]) : cell(column.values[i], column.enclosures[i]);
        if (made.enclosure) made.rigour = series.rigour;
        cells.push_back(std::move(made));
    }
    return cells;
}

std::vector<core::Cell> cells_of(const Source& source, const Inputs& inputs) {
    if (source.of.empty()) return source.cells;
    const core::Result& result = inputs.result(source.of);
    const bool is_part = !source.row.empty() || !source.column.empty();
    if (is_part && result.table) return table_cells(source, *result.table);
    if (!is_part && result.series && result.series->columns.size() > result.series->variables)
        return series_cells(*result.series);
    refuse(source.place, "'" + source.of + "' has no " + (is_part ? "table" : "series"),
           "a list of numbers, a quantity with a series, or a part of a table");
}

struct Sample {
    std::vector<Interval> values;
    core::Rigour rigour = core::Rigour::exact;
};

Sample sample_of(const Source& source, const Inputs& inputs) {
    Sample sample;
    for (const core::Cell& cell : cells_of(source, inputs)) {
        if (!cell.number || !std::isfinite(*cell.number))
            refuse(source.place, "number " + std::to_string(sample.values.size() + 1) + " of the sample is missing",
                   "a finite number in every place");
        sample.values.push_back(cell.enclosure ? Interval{cell.enclosure->lo, cell.enclosure->hi}
                                               : point(*cell.number));
        sample.rigour = std::min(sample.rigour, cell.rigour);
    }
    if (sample.values.size() < 2)
        refuse(source.place, "a sample of " + std::to_string(sample.values.size()), "two numbers at least");
    return sample;
}

Interval count(std::size_t n) {
    return point(static_cast<double>(n));
}

Interval mean(const std::vector<Interval>& values) {
    Interval sum = point(0);
    for (const Interval& value : values) sum = sum + value;
    return sum / count(values.size());
}

/// The sum of squared deviations over n - 1.
Interval variance(const std::vector<Interval>& values) {
    const Interval centre = mean(values);
    Interval sum = point(0);
    for (const Interval& value : values) {
        const Interval deviation = numerics::abs(value - centre);
        sum = sum + deviation * deviation;
    }
    return sum / count(values.size() - 1);
}

struct Statistic {
    Interval difference;  ///< of the means
    Interval variance;    ///< of that difference
    Interval freedom;
};

Statistic paired(const Sample& a, const Sample& b) {
    std::vector<Interval> differences;
    for (std::size_t i = 0; i < a.values.size(); ++i) differences.push_back(a.values[i] - b.values[i]);
    const std::size_t n = differences.size();
    return {mean(differences), variance(differences) / count(n), count(n - 1)};
}

Statistic unpaired(const Sample& a, const Sample& b, bool pools) {
    const Interval na = count(a.values.size());
    const Interval nb = count(b.values.size());
    const Interval va = variance(a.values);
    const Interval vb = variance(b.values);
    const Interval difference = mean(a.values) - mean(b.values);
    const Interval one = point(1);
    if (pools) {
        const Interval freedom = na + nb - point(2);
        const Interval common = ((na - one) * va + (nb - one) * vb) / freedom;
        return {difference, common * (one / na + one / nb), freedom};
    }
    const Interval sa = va / na;
    const Interval sb = vb / nb;
    const Interval sum = sa + sb;
    return {difference, sum, sum * sum / (sa * sa / (na - one) + sb * sb / (nb - one))};
}

/// The two-sided p of t >= 0 for whole degrees of freedom, by the finite sums of Abramowitz and Stegun 26.7.3
/// and 26.7.4.
Interval tail(const Interval& t, long freedom) {
    const Interval angle = numerics::atan2(t, numerics::sqrt(count(static_cast<std::size_t>(freedom))));
    const Interval cosine = numerics::cos(angle);
    const Interval square = cosine * cosine;
    const bool is_odd = freedom % 2 == 1;
    Interval term = is_odd ? cosine : point(1);
    Interval sum = point(0);
    for (long power = is_odd ? 1 : 0; power <= freedom - 2; power += 2) {
        sum = sum + term;
        term = term * square * point(static_cast<double>(power + 1)) / point(static_cast<double>(power + 2));
    }
    const Interval product = numerics::sin(angle) * sum;
    const Interval inside = is_odd ? point(2) * (angle + product) / numerics::enclose_pi() : product;
    return numerics::clamp(point(1) - inside, point(0), point(1));
}

/// p falls in |t| and in the degrees of freedom, so two ends enclose it.
Interval p_value(const Interval& t, const Interval& freedom) {
    const Interval size = numerics::abs(t);
    const auto fewest = static_cast<long>(std::max(1.0, std::floor(freedom.lo)));
    const auto most = static_cast<long>(std::ceil(freedom.hi));
    return {tail(point(size.hi), most).lo, tail(point(size.lo), fewest).hi};
}

class TTest : public Prepared {
public:
    TTest(Source a, Source b, bool is_paired, bool pools)
        : a_(std::move(a)), b_(std::move(b)), is_paired_(is_paired), pools_(pools) {}

    std::vector<std::string> needs() const override {
        std::vector<std::string> names;
        for (const Source* source : {&a_, &b_})
            if (!source->of.empty()) names.push_back(source->of);
        return names;
    }

    core::Result run(const Inputs& inputs) const override {
        const Sample a = sample_of(a_, inputs);
        const Sample b = sample_of(b_, inputs);
        if (is_paired_ && a.values.size() != b.values.size())
            refuse(b_.place,
                   "samples of " + std::to_string(a.values.size()) + " and " + std::to_string(b.values.size()) +
                       " numbers",
                   "pairs");
        const Statistic statistic = is_paired_ ? paired(a, b) : unpaired(a, b, pools_);
        if (statistic.variance.hi <= 0)
            refuse(b_.place, "samples without spread: t has no value", "values that differ");
        return report(statistic, std::min(a.rigour, b.rigour));
    }

private:
    core::Result report(const Statistic& statistic, core::Rigour rigour) const {
        const Interval t = statistic.difference / numerics::sqrt(statistic.variance);
        const double freedom = numerics::midpoint(statistic.freedom);
        const double middle =
            numerics::midpoint(statistic.difference) / std::sqrt(numerics::midpoint(statistic.variance));
        const double p = numerics::two_sided_p(middle, freedom);
        const auto known = [&](double number, const Interval& interval) {
            core::Cell made =
                numerics::is_undefined(interval) ? core::Cell::of(number) : cell(number, {interval.lo, interval.hi});
            const bool is_computed = rigour == core::Rigour::exact || rigour == core::Rigour::rigorous;
            if (made.enclosure) made.rigour = is_computed ? core::Rigour::rigorous : rigour;
            if (rigour == core::Rigour::none) made.enclosure.reset();
            return made;
        };
        core::Result result;
        result.set("t", known(middle, t));
        result.set("p", known(p, numerics::is_undefined(t) ? t : p_value(t, statistic.freedom)));
        result.set("df", known(freedom, statistic.freedom));
        result.set("mean_difference", known(numerics::midpoint(statistic.difference), statistic.difference));
        return result;
    }

    Source a_;
    Source b_;
    bool is_paired_;
    bool pools_;
};

std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.size();
    Source a = read_source(declaration, "a", problems);
    Source b = read_source(declaration, "b", problems);
    const bool is_paired = core::read_boolean(declaration.settings, "paired").value_or(false);
    const bool pools = core::read_boolean(declaration.settings, "equal_variances").value_or(true);
    if (problems.size() != before) return nullptr;
    return std::make_unique<TTest>(std::move(a), std::move(b), is_paired, pools);
}

}  // namespace

const Kind& ttest_kind() {
    static const Kind kind{"ttest", "Student's t-test of two samples", keys, false, prepare};
    return kind;
}

}  // namespace farfield::quantity
