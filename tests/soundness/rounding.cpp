// Rounding errors against the formula computed step by step in its format, at sampled points.
#include <algorithm>
#include <cmath>

#include "recheck/format.hpp"
#include "recheck/proof.hpp"
#include "recheck/rounded_formula.hpp"
#include "soundness/judges.hpp"

namespace farfield::soundness {

using recheck::Number;
using recheck::Rational;
using recheck::Truth;

namespace {

/// What a computation gives and what it stands for; nothing where a rounding is not decided.
struct Pair {
    Number computed;
    Number exact;
};

class Computation {
public:
    explicit Computation(const Question& question)
        : question_(question),
          formula_(question.formula),
          exact_(question.other.empty() ? without_rounding(question.formula) : question.other) {
        if (!question.format.empty()) format_ = &recheck::find_format(question.format);
    }

    bool has_units() const { return format_ != nullptr; }

    std::optional<Pair> at(const Point& point) {
        try {
            if (!format_) return Pair{formula_.at(point), exact_.at(point)};
            if (question_.are_inputs_numbers) return of_numbers(point);
            const auto computed = recheck::stepwise(formula_.tree(), *format_, point);
            if (!computed) return Pair{Number::unknown(), exact_.at(point)};
            return Pair{*computed, exact_.at(point)};
        } catch (const recheck::Unprovable&) {
            return std::nullopt;
        }
    }

    /// The unit in the last place of a number of this magnitude, where that lies between two powers of two for certain.
    std::optional<Number> unit_at(const Number& exact) const {
        const Number size = recheck::abs(exact);
        if (size.defined() != Truth::yes) return std::nullopt;
        const recheck::Interval range = size.interval();
        const auto exponent = [](const recheck::Float& x) { return arf_abs_bound_lt_2exp_si(x.get()) - 1; };
        if (range.lo.sign() <= 0 || exponent(range.lo) != exponent(range.hi)) return std::nullopt;
        const long unit = std::max(exponent(range.lo), format_->lowest) - format_->bits + 1;
        if (unit < -1000 || unit > 1000) return std::nullopt;
        return recheck::power(Number(Rational(2)), Number(Rational(unit)));
    }

private:
    /// Variables and literals are numbers of the format, in the exact formula too.
    std::optional<Pair> of_numbers(const Point& point) {
        std::vector<std::string> variables;
        std::vector<Rational> values;
        for (const auto& [name, value] : point) {
            variables.push_back(name);
            values.push_back(*value.exact());
        }
        const auto [computed, exact] =
            recheck::at_point(recheck::steps_of(formula_.tree(), variables), {format_, false}, values);
        return Pair{computed, exact};
    }

    const Question& question_;
    Formula formula_;
    Formula exact_;
    const recheck::Format* format_ = nullptr;
};

/// The points; where inputs are numbers of a format, those nearest to them in the domain.
std::vector<Point> inputs_of(const Question& question, Random& random) {
    std::vector<Point> points = points_of(question, random);
    if (!question.are_inputs_numbers) return points;
    const recheck::Format& format = recheck::find_format(question.format);
    std::vector<Point> kept;
    for (Point& point : points) {
        bool lies_inside = true;
        for (std::size_t i = 0; i < point.size(); ++i) {
            const Side& side = question.over[question.over.size() - 1 - i];
            const auto rounded = recheck::rounded(format, point[i].second);
            lies_inside = lies_inside && rounded && rounded->exact();
            if (!lies_inside) break;
            const Rational lo = *recheck::read_rational(side.from);
            const Rational hi = *recheck::read_rational(side.to);
            const bool is_same = *rounded->exact() == *point[i].second.exact();
            lies_inside = side.is_grid() ? is_same : !(*rounded->exact() < lo) && !(hi < *rounded->exact());
            point[i].second = *rounded;
        }
        if (lies_inside) kept.push_back(std::move(point));
    }
    return kept;
}

/// The point at which the quantity found its largest error, if that is in the domain.
std::optional<Point> found_point(const Question& question, const core::Result& result) {
    Point point;
    for (std::size_t i = question.over.size(); i-- > 0;) {
        const core::Cell* const place = result.find("found_" + question.over[i].name);
        if (!place || !place->number) return std::nullopt;
        point.emplace_back(question.over[i].name, Number(recheck::of_double(*place->number)));
    }
    return point;
}

bool is_in_domain(const Question& question, const Point& point) {
    for (std::size_t i = 0; i < point.size(); ++i) {
        const Side& side = question.over[question.over.size() - 1 - i];
        const Rational value = *point[i].second.exact();
        const Rational from = *recheck::read_rational(side.from);
        if (value < from || *recheck::read_rational(side.to) < value) return false;
        if (side.is_grid() && !((value - from) / *recheck::read_rational(side.step)).is_whole()) return false;
        if (!question.are_inputs_numbers) continue;
        const auto rounded = recheck::rounded(recheck::find_format(question.format), point[i].second);
        if (!rounded || !rounded->exact() || !(*rounded->exact() == value)) return false;
    }
    return true;
}

/// The lower end of a bound is an error that was found somewhere.
std::optional<Outcome> judge_found(const Question& question, const core::Result& result, Computation& computation) {
    const core::Cell& absolute = *result.find("absolute");
    if (!(absolute.enclosure->lo > 0)) return std::nullopt;
    const std::string holds = "q.absolute >= " + decimal(absolute.enclosure->lo);
    for (const Side& side : question.over) {
        const core::Cell* const place = result.find("found_" + side.name);
        if (place && place->number && !std::isfinite(*place->number)) return wrong("an error at infinity", holds);
    }
    const std::optional<Point> point = found_point(question, result);
    if (!point) return wrong("an error without a point", holds);
    if (!is_in_domain(question, *point)) return wrong("an error outside, at " + show(*point), holds);
    const std::optional<Pair> pair = computation.at(*point);
    if (!pair) return std::nullopt;
    const Number error = recheck::abs(pair->computed - pair->exact);
    if (has_no_value(error)) return wrong("an error without a value, at " + show(*point), holds);
    if (!is_below(error, absolute)) return std::nullopt;
    return wrong("found: the error is " + show(error) + " at " + show(*point), holds);
}

/// Whether a literal that is surely read overflows the format: a branch may not be taken, a reduction may be empty.
bool literal_overflows(const recheck::Node& tree, const recheck::Format& format) {
    if (tree->op == recheck::Op::select || recheck::is_reduction(tree->op)) return false;
    if (tree->op == recheck::Op::number) {
        recheck::Evaluator evaluator;
        const auto value = recheck::rounded(format, evaluator.value(tree, {}));
        return value && has_no_value(*value);
    }
    return std::any_of(tree->parts.begin(), tree->parts.end(),
                       [&](const recheck::Node& part) { return literal_overflows(part, format); });
}

}  // namespace

Outcome judge_rounding_error(const Question& question, const core::Result& result, Random& random) {
    const core::Cell* const absolute = result.find("absolute");
    if (!is_certified(absolute)) return {};
    if (!question.format.empty() &&
        literal_overflows(recheck::parse_tree(question.formula), recheck::find_format(question.format)))
        return wrong("a literal overflows", within("absolute", *absolute));
    Computation computation(question);
    const core::Cell* const relative = result.find("relative");
    const core::Cell* const ulps = result.find("ulps");
    const bool has_units = is_certified(ulps) && computation.has_units();
    bool is_grid = true;
    for (const Side& side : question.over) is_grid = is_grid && side.is_grid();
    // Of a grid, whether an error as large as the largest found may be somewhere.
    bool may_be_found[3] = {false, false, false};
    for (const Point& point : inputs_of(question, random)) {
        const std::optional<Pair> pair = computation.at(point);
        const std::string at = " at " + show(point);
        if (pair && has_no_value(pair->exact)) return wrong("no value" + at, within("absolute", *absolute));
        if (pair && has_no_value(pair->computed)) return wrong("overflows" + at, within("absolute", *absolute));
        const Number error = pair ? recheck::abs(pair->computed - pair->exact) : Number::unknown();
        const Number share = pair ? error / recheck::abs(pair->exact) : Number::unknown();
        const std::optional<Number> unit = pair && has_units ? computation.unit_at(pair->exact) : std::nullopt;
        const Number in_units = unit ? error / *unit : Number::unknown();
        const std::string what = pair ? show(pair->computed) + " for " + show(pair->exact) + at : at;
        const std::pair<const char*, const Number*> measures[] = {
            {"absolute", &error}, {"relative", &share}, {"ulps", &in_units}};
        for (std::size_t i = 0; i < 3; ++i) {
            const auto& [name, value] = measures[i];
            const core::Cell* const cell = result.find(name);
            if (!is_certified(cell) || (i == 2 && !has_units)) continue;
            if (is_above(*value, *cell)) return wrong(std::string(name) + " too small: " + what, within(name, *cell));
            may_be_found[i] = may_be_found[i] || !is_below(*value, *cell);
        }
    }
    if (const auto found = judge_found(question, result, computation)) return *found;
    const core::Cell* const cells[] = {absolute, relative, has_units ? ulps : nullptr};
    for (std::size_t i = 0; i < 3 && is_grid; ++i)
        if (is_certified(cells[i]) && cells[i]->enclosure->lo > 0 && !may_be_found[i])
            return wrong("no error of the grid is so large, measure " + std::to_string(i), "1 == 1");
    return {true, std::nullopt};
}

}  // namespace farfield::soundness
