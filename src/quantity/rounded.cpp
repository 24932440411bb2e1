#include "quantity/rounded.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/evaluate/number_system.hpp>
#include <farfield/formula/assumptions.hpp>

#include "evaluate/grid_lane.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 4> range_keys = {
    Key{.name = "over",
        .type = KeyType::table,
        .required = true,
        .meaning = "one variable: n = { from, to, step }, or x = [lo, hi] for all reals between"},
    format_key,
    Key{.name = "stepwise",
        .type = KeyType::boolean,
        .fallback = "false",
        .meaning = "round every operation; otherwise the exactly computed value is rounded once"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "40000000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
};

evaluate::NumberSystem number_system(const numerics::Format& format) {
    return evaluate::read_number_system(format.name == "fp32" ? "float" : format.name);
}

/// Whether one of the variable's values is a number of the format. Of a long grid only the first values are
/// examined: it counts as having one.
bool has_number_of(const numerics::Format& format, const Dimension& variable) {
    constexpr std::size_t most_looked_at = 100'000;
    const bool is_narrow = format.mantissa_bits < std::numeric_limits<double>::digits - 1;
    const auto is_number = [&](double value) { return !is_narrow || numerics::round_to(format, value) == value; };
    if (variable.is_grid) {
        const std::size_t count = std::min(variable.grid.count(), most_looked_at);
        for (std::size_t i = 0; i < count; ++i) {
            const numerics::Interval value = variable.grid.enclose(i);
            if (value.lo == value.hi && is_number(value.lo)) return true;
        }
        return count < variable.grid.count();
    }
    const double from = variable.stretch.lo;
    if (variable.holds(from) && is_number(from)) return true;
    return variable.holds(is_narrow ? numerics::next_above(format, from)
                                    : std::nextafter(from, std::numeric_limits<double>::infinity()));
}

}  // namespace

double RoundedFormula::cost() const {
    const double points = grid() ? static_cast<double>(grid()->count()) : 1000;
    return points * (1 + operations(formula.tree)) * (is_stepwise ? 10 : 50);
}

const numerics::Format* read_format(const Declaration& declaration, core::Problems& problems) {
    const core::Entry* entry = declaration.settings.find("format");
    if (!entry || !entry->value.string()) return nullptr;
    const numerics::Format* format = numerics::find_format(*entry->value.string());
    std::vector<std::string> known;
    for (const numerics::Format& row : numerics::formats()) known.emplace_back(row.name);
    if (!format)
        problems.add(entry->value.place, "unknown number format '" + *entry->value.string() + "'", {},
                     core::known_here(*entry->value.string(), known));
    return format;
}

std::span<const Key> rounded_keys() {
    return range_keys;
}

std::optional<RoundedFormula> read_rounded(const Declaration& declaration, bool may_be_missing,
                                           core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::optional<Over> over = read_over(declaration, problems);
    const numerics::Format* format = read_format(declaration, problems);
    if (!over) return std::nullopt;
    const core::Place place = place_of_key(declaration, "over");
    if (over->variables().size() != 1)
        problems.add(place, "'over' has " + std::to_string(over->variables().size()) + " variables", "one");
    const bool is_stepwise = core::Settings(declaration.settings, range_keys).boolean("stepwise");
    if (is_stepwise && !over->stretches.empty())
        problems.add(place, "a stretch of reals with 'stepwise'", "a grid of values, { from, to, step }");
    if (is_stepwise && declaration.settings.find("boxes"))
        problems.add(place_of_key(declaration, "boxes"), "'boxes' with 'stepwise'",
                     "one of them: stepwise computes every value");
    core::Value variable;
    variable.data = over->variables().front();
    variable.place = place;
    const core::Entry* entry = declaration.settings.find("formula");
    if (!entry && !may_be_missing) one_of(declaration, {"formula"}, problems);
    if (entry) use_key(declaration, "formula");
    const auto formula =
        read_formula(declaration, entry ? entry->value : variable, {.variables = over->variables()}, problems);
    if (problems.reports() != before || !formula || !format) return std::nullopt;
    const auto boxes = core::Settings(declaration.settings, range_keys).count("boxes");
    return RoundedFormula{*formula, *over, format, is_stepwise, boxes};
}

std::optional<std::string> place_without_value(const RoundedFormula& formula, const Inputs& inputs) {
    if (formula.is_stepwise) return std::nullopt;
    const Domain domain(formula.over);
    const BoxCondition has_value(formula::defined(formula.formula.tree), domain);
    const auto without = find_without_value(has_value, domain, formula.boxes, inputs.interrupted);
    return without ? std::optional(describe(*without, domain)) : std::nullopt;
}

void require_numbers_of(const numerics::Format& format, const Declaration& declaration, const Over& over,
                        core::Problems& problems) {
    const Domain domain(over);
    for (const Dimension& each : domain.dimensions())
        if (!has_number_of(format, each))
            problems.add(declaration.settings.find("over")->value.entries()->find(each.variable)->value.place,
                         "no value of '" + each.variable + "' is a number of " + std::string(format.name),
                         "other values, or inputs = \"real\"");
}

Size size_of(const numerics::Format& format, double magnitude) {
    const double rounded = numerics::round_to(format, magnitude);
    if (!std::isfinite(rounded)) return Size::overflow;
    if (rounded == 0) return Size::zero;
    return rounded < numerics::smallest_normal(format) ? Size::subnormal : Size::normal;
}

core::Enclosure magnitudes(const core::Enclosure& value) {
    if (is_unknown(value)) return {0, std::numeric_limits<double>::infinity()};
    const double low = value.contains(0) ? 0 : std::min(std::abs(value.lo), std::abs(value.hi));
    return {low, std::max(std::abs(value.lo), std::abs(value.hi))};
}

Answer judge(Event event, const numerics::Format& format, const core::Enclosure& value) {
    const core::Enclosure magnitude = magnitudes(value);
    const Size least = size_of(format, magnitude.lo);
    const Size most = size_of(format, magnitude.hi);
    switch (event) {
        case Event::overflow:
            if (least == Size::overflow) return Answer::yes;
            return most == Size::overflow ? Answer::unknown : Answer::no;
        case Event::underflow:
            // A value that is zero has not underflowed.
            if (least > Size::zero || magnitude.hi == 0) return Answer::no;
            return most == Size::zero && magnitude.lo > 0 ? Answer::yes : Answer::unknown;
        case Event::subnormal:
            if (least > Size::subnormal || most < Size::subnormal) return Answer::no;
            return least == Size::subnormal && most == Size::subnormal ? Answer::yes : Answer::unknown;
    }
    return Answer::unknown;
}

double spacing(const numerics::Format& format, double magnitude) {
    const double rounded = numerics::round_to(format, magnitude);
    const double next = numerics::next_above(format, rounded);
    return std::isfinite(next) ? next - rounded : std::numeric_limits<double>::infinity();
}

std::vector<double> stepwise_values(const RoundedFormula& formula, std::size_t first, std::size_t count) {
    const formula::Program program = formula::compile(formula.formula.tree, {{}, {formula.variable()}, {}});
    const numerics::Progression grid = formula.grid()->part(first, count);
    const std::vector<double> points = grid.points_to_round();
    evaluate::Inputs inputs;
    inputs.varying.push_back(evaluate::lane_of(grid, points));
    inputs.points = count;
    return evaluate::evaluate(program, inputs, number_system(*formula.format));
}

core::Cell stepwise_cell(const RoundedFormula& formula, const numerics::Rational& value) {
    return formula.format->name == "fp32" ? core::Cell::of(numerics::nearest(value)) : exact_cell(value);
}

}  // namespace farfield::quantity
