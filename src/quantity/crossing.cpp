// Finds where a curve, or a formula over the reals, crosses a level.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/program.hpp>

#include "evaluate/closed.hpp"
#include "quantity/box_function.hpp"
#include "quantity/curve_input.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/scheme_curve.hpp"
#include "quantity/sides.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;

constexpr std::array<Key, 8> crossing_keys = {
    of_key,
    Key{.name = "over",
        .type = KeyType::table,
        .unit = "{ x = { from, to, step } } or { x = [lo, hi] }",
        .meaning = "the variable: in steps, or all reals between"},
    distances_key,
    range_key,
    query_key,
    Key{.name = "level", .type = KeyType::formula, .fallback = "0", .meaning = "the level that is crossed"},
    Key{.name = "direction",
        .type = KeyType::text,
        .fallback = "any",
        .meaning = "which crossings count: up from below the level to above it, down, or any",
        .choices = "any|up|down"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "4000000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
};

enum class Direction { any, up, down };

/// The gap between two parts on known sides, or before the first of them or after the last.
struct Gap {
    Side before = Side::unknown;  ///< unknown for the first gap
    Side after = Side::unknown;   ///< unknown for the last
    Enclosure where;              ///< all crossings in it
    bool has_unknown = false;
    double most_changes = 0;  ///< a bound of the number of changes of side, if parts are unknown
};

struct Count {
    double least = 0;
    double most = 0;
};

/// How often a formula crosses within a gap. Changes of side alternate, so the sides before and after determine whether
/// their number is even.
Count crossings(const Gap& gap, Direction direction) {
    const bool are_known = gap.before != Side::unknown && gap.after != Side::unknown;
    const bool differ = are_known && gap.before != gap.after;
    double least = differ ? 1 : 0;
    double most = gap.has_unknown ? gap.most_changes : least;
    if (are_known && std::isfinite(most) && std::fmod(most, 2) != (differ ? 1 : 0)) --most;
    most = std::max(most, least);
    if (direction == Direction::any) return {least, most};
    if (!are_known) return {gap.has_unknown ? 0 : least, std::ceil(most / 2)};
    // The first change leads away from the side before.
    const bool first_counts = (gap.before == Side::below) == (direction == Direction::up);
    const auto share = [&](double changes) { return first_counts ? std::ceil(changes / 2) : std::floor(changes / 2); };
    return {share(least), share(most)};
}

/// The gaps between the parts that are strictly on one side.
class Gaps {
public:
    explicit Gaps(bool is_grid) : is_grid_(is_grid) {}

    std::vector<Gap> of(const std::vector<SidePart>& parts) {
        gaps_.reserve(parts.size() + 1);
        Gap gap;
        std::optional<double> from;
        double end = parts.front().where.lo;
        for (const SidePart& part : parts) {
            const bool is_unknown = part.side == Side::unknown;
            gap.has_unknown = gap.has_unknown || is_unknown;
            if (is_unknown || part.side == Side::on || !part.is_strict) {
                gap.most_changes += is_unknown ? part.most_changes : part.is_strict ? 0 : 1;
                if (part.side != Side::on && !from) from = part.where.lo;
                end = part.where.hi;
                continue;
            }
            gap.after = part.side;
            gap.where = {from.value_or(is_grid_ ? part.where.lo : end), part.where.lo};
            gaps_.push_back(gap);
            gap = {part.side, Side::unknown, {}, false, 0};
            from.reset();
            end = part.where.hi;
        }
        gap.where = {from.value_or(end), end};
        gaps_.push_back(gap);
        return std::move(gaps_);
    }

private:
    bool is_grid_;
    std::vector<Gap> gaps_;
};

struct Coordinate {
    double number = 0;
    Enclosure where;
};

Coordinate coordinate_of(const core::Cell& cell) {
    return {*cell.number, cell.enclosure.value_or(Enclosure::exactly(*cell.number))};
}

/// The coordinate of an enclosure of indexes or reals, as a cell and as a number with its enclosure.
struct Place {
    std::function<core::Cell(const Enclosure&)> cell;
    std::function<Coordinate(const Enclosure&)> coordinate;
};

void report(const std::vector<Gap>& gaps, Direction direction, const Place& place, core::Result& result) {
    Count total;
    std::optional<Enclosure> first;
    std::optional<Enclosure> last;
    std::optional<double> may_be_first;
    std::optional<double> may_be_last;
    std::vector<double> numbers;
    std::vector<double> values;
    std::vector<double> directions;
    std::vector<Enclosure> enclosures;
    for (std::vector<double>* each : {&numbers, &values, &directions}) each->reserve(gaps.size());
    enclosures.reserve(gaps.size());
    for (const Gap& gap : gaps) {
        const Count count = crossings(gap, direction);
        total.least += count.least;
        total.most += count.most;
        if (count.most > 0) {
            if (!may_be_first) may_be_first = gap.where.lo;
            may_be_last = gap.where.hi;
        }
        if (count.least == 0) continue;
        if (!first) first = Enclosure{*may_be_first, gap.where.hi};
        last = gap.where;
        const Coordinate at = place.coordinate(gap.where);
        numbers.push_back(static_cast<double>(numbers.size() + 1));
        values.push_back(at.number);
        enclosures.push_back(at.where);
        directions.push_back(gap.before == Side::below ? 1 : -1);
    }
    const bool is_certain = total.least == total.most;
    core::Cell count = core::Cell::exact(total.least);
    if (!is_certain) count = core::Cell::enclosed(total.least, {total.least, total.most});
    result.set("count", count);
    result.set("first", first ? place.cell(*first) : core::Cell::missing());
    result.set("last", last ? place.cell({last->lo, *may_be_last}) : core::Cell::missing());
    if (numbers.empty()) return;
    // Further crossings may lie between these and would change their numbering.
    if (!is_certain) enclosures.clear();
    core::Series series;
    series.columns.push_back({"crossing", std::move(numbers), {}});
    series.columns.push_back({"value", std::move(values), std::move(enclosures)});
    series.columns.push_back({"direction", std::move(directions), {}});
    series.rigour = is_certain ? core::Rigour::rigorous : core::Rigour::none;
    result.series = std::move(series);
}

/// A formula minus the level, over one variable.
/// On a grid, a crossing is at a value that lies after another.
void define_over(const numerics::Progression& points, Definition& own) {
    if (points.count() < 2) return;
    for (const std::string_view field : {"first", "last"}) state_within(field, points.part(1, points.count() - 1), own);
    state_at_most({"count"}, points.count() - 1, own);
}

class CrossingOfFormula : public Prepared {
public:
    CrossingOfFormula(Checked formula, std::optional<Checked> level, Dimension dimension, Direction direction,
                      std::size_t boxes)
        : formula_(std::move(formula)),
          level_(std::move(level)),
          domain_(std::vector<Dimension>{std::move(dimension)}),
          direction_(direction),
          boxes_(boxes),
          is_in_doubles_(domain_.dimensions().front().is_grid &&
                         domain_.dimensions().front().grid.is_exact_in_doubles()) {}

    void define(const DefinitionOf&, Definition& own) const override {
        own.facts.emplace_back("first == value[1]");
        const Dimension& dimension = domain_.dimensions().front();
        if (dimension.is_grid)
            define_over(dimension.grid, own);
        else
            state_within({"first", "last"}, domain_, own);
    }

    double cost() const override {
        const Dimension& side = domain_.dimensions().front();
        const double of_one = 1 + operations(difference());
        const double most = static_cast<double>(boxes_);
        // The points of a grid are evaluated together; an interval takes about 50 times as long as a point.
        if (side.is_grid) return std::min(2 * static_cast<double>(side.grid.count()), most) * of_one;
        return most / 100 * of_one * 50;
    }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        result.notes.emplace_back("method", "the side of the level, by subdivision");
        state(result.evidence, "formula", formula_.tree);
        if (level_) state(result.evidence, "level", level_->tree);
        const formula::Node tree = difference();
        const BoxCondition has_value(formula::defined(tree), domain_);
        if (const auto without = find_without_value(has_value, domain_, boxes_, inputs.interrupted)) {
            for (const char* field : {"count", "first", "last"}) result.set(field, core::Cell::missing());
            result.notes.emplace_back("not decided", describe(*without, domain_));
            return result;
        }
        const std::vector<SidePart> parts = find_sides(tree, domain_, boxes_, inputs.interrupted);
        const bool is_grid = domain_.dimensions().front().is_grid;
        const std::vector<Gap> gaps = Gaps(is_grid).of(parts);
        report(gaps, direction_,
               {[&](const Enclosure& where) { return place(where); },
                [&](const Enclosure& where) { return coordinate(where); }},
               result);
        const auto open = std::find_if(parts.begin(), parts.end(), [](const SidePart& part) {
            return part.side == Side::unknown && part.most_changes > 1;
        });
        if (open != parts.end()) result.notes.emplace_back("not decided at", domain_.text(Box{{open->where}}));
        return result;
    }

private:
    formula::Node difference() const {
        return level_ ? formula::make(formula::Op::subtract, {formula_.tree, level_->tree}) : formula_.tree;
    }

    Coordinate coordinate(const Enclosure& where) const {
        if (where.lo != where.hi || !is_in_doubles_) return coordinate_of(place(where));
        const double number = domain_.dimensions().front().grid.at(static_cast<std::size_t>(where.lo));
        return {number, Enclosure::exactly(number)};
    }

    core::Cell place(const Enclosure& where) const {
        const Dimension& side = domain_.dimensions().front();
        if (where.lo == where.hi && is_in_doubles_) return core::Cell::exact(coordinate(where).number);
        if (where.lo == where.hi) return exact_cell(domain_.exact(0, where.lo));
        if (!side.is_grid) {
            if (const auto decimal = decimal_root(where)) return exact_cell(*decimal);
            return core::Cell::enclosed(where.lo + (where.hi - where.lo) / 2, where);
        }
        return core::Cell::enclosed(numerics::nearest(domain_.exact(0, where.hi)), domain_.values(Box{{where}}, 0));
    }

    /// The shortest decimal between two neighbouring doubles, or those around a double, if the formula equals the level
    /// there exactly. It is then the only crossing between them, because the formula is strictly monotone there.
    std::optional<numerics::Rational> decimal_root(const Enclosure& where) const {
        const double next = std::nextafter(where.lo, where.hi);
        if (std::nextafter(next, where.hi) != where.hi) return std::nullopt;
        for (const double near : {next, where.lo, where.hi}) {
            const numerics::Rational decimal = numerics::shortest_decimal(near);
            if (decimal < numerics::exactly(where.lo) || decimal > numerics::exactly(where.hi)) continue;
            const formula::Node value =
                formula::substitute(difference(), {{domain_.dimensions().front().variable, exact_node(decimal)}});
            const formula::Node is_met = formula::make(formula::Op::equals, {value, formula::make_number("0")});
            if (evaluate::decide_exactly(is_met) == evaluate::Truth::yes && is_strict(where)) return decimal;
        }
        return std::nullopt;
    }

    bool is_strict(const Enclosure& where) const {
        const formula::Node tree = difference();
        const std::string& variable = domain_.dimensions().front().variable;
        const Box box{{where}};
        const Enclosure slope = BoxSlope(tree, variable, domain_).over({box}, evaluate::Enclosing::rigorous).front();
        if (slope.lo > 0 || slope.hi < 0) return true;
        const formula::Trend trend = formula::trend(tree, variable);
        return BoxCondition(trend.rises_strictly, domain_).holds(box) ||
               BoxCondition(trend.falls_strictly, domain_).holds(box);
    }

    Checked formula_;
    std::optional<Checked> level_;
    Domain domain_;
    Direction direction_;
    std::size_t boxes_;
    bool is_in_doubles_;  ///< all values of the grid are doubles: no rational number is needed for them
};

/// A crossing of the curve of another quantity; the enclosures of the curve decide.
class CrossingOfCurve : public Prepared {
public:
    CrossingOfCurve(Of of, std::optional<Limits> limits, std::optional<Checked> level, Direction direction)
        : of_(std::move(of)), limits_(std::move(limits)), level_(std::move(level)), direction_(direction) {}

    std::vector<std::string> needs() const override { return {of_.name}; }

    void define(const DefinitionOf& definition_of, Definition& own) const override {
        own.facts.emplace_back("first == value[1]");
        if (const auto points = points_of(of_, limits_, definition_of)) define_over(*points, own);
    }

    core::Result run(const Inputs& inputs) const override {
        const View view = view_of(inputs, of_, limits_);
        Enclosure level = Enclosure::exactly(0);
        const Domain domain(std::vector<Dimension>{});
        if (level_) level = BoxFunction(level_->tree, domain).over({Box{}}, evaluate::Enclosing::rigorous).front();
        const bool is_enclosed = !view.enclosures.empty();
        // A point with an unbounded enclosure may have no value, so the sides around it prove nothing.
        const bool has_values = std::all_of(view.enclosures.begin(), view.enclosures.end(), [](const Enclosure& value) {
            return std::isfinite(value.lo) && std::isfinite(value.hi);
        });
        std::vector<SidePart> parts;
        const std::span<const double> values = view.values.here();
        parts.reserve(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Side side = side_of(is_enclosed ? view.enclosures[i] : Enclosure::exactly(values[i]), level);
            const double most = side == Side::unknown ? 2 : 0;
            parts.push_back({Enclosure::exactly(static_cast<double>(i)), side, true, most});
        }
        core::Result result;
        if (level_) state(result.evidence, "level", level_->tree);
        report(Gaps(true).of(parts), direction_,
               {[&](const Enclosure& where) { return place(view, where); },
                [&](const Enclosure& where) { return coordinate_of(place(view, where)); }},
               result);
        if (!is_enclosed || !has_values) forget_bounds(result);
        return result;
    }

private:
    static Side side_of(const Enclosure& value, const Enclosure& level) {
        if (value.lo > level.hi) return Side::above;
        if (value.hi < level.lo) return Side::below;
        const bool are_points = value.lo == value.hi && level.lo == level.hi;
        return are_points && value.lo == level.lo ? Side::on : Side::unknown;
    }

    static core::Cell place(const View& view, const Enclosure& where) {
        const auto from = static_cast<std::size_t>(where.lo);
        const auto to = static_cast<std::size_t>(where.hi);
        core::Cell cell = view.exact_point(to);
        if (from != to)
            cell = core::Cell::enclosed(view.points[to], {view.enclosed_point(from).lo, view.enclosed_point(to).hi});
        cell.rigour = view.rigour;
        return cell;
    }

    static void forget_bounds(core::Result& result) {
        for (auto& [name, cell] : result.values)
            if (cell.number) cell = core::Cell::of(*cell.number);
        if (!result.series) return;
        result.series->rigour = core::Rigour::none;
        result.series->columns[1].enclosures.clear();
    }

    Of of_;
    std::optional<Limits> limits_;
    std::optional<Checked> level_;
    Direction direction_;
};

struct Own {
    Checked formula;
    Dimension dimension;
};

/// A formula over the reals between two ends.
std::optional<Own> read_reals(const Declaration& declaration, const Over& over, core::Problems& problems) {
    if (over.stretches.size() + over.grids.size() > 1) {
        problems.add(place_of_key(declaration, "over"), "'over' has more than one variable", "over = { x = [0, 1] }");
        return std::nullopt;
    }
    refuse_beside_reals(declaration, problems);
    std::optional<Checked> formula = read_formula(declaration, {.variables = over.variables()}, problems);
    if (!formula) return std::nullopt;
    return Own{std::move(*formula), Domain(over).dimensions().front()};
}

/// A formula, or a scheme's bias, over values in steps.
std::optional<Own> read_steps(const Declaration& declaration, const std::optional<Limits>& limits,
                              core::Problems& problems) {
    std::optional<Tabulation> tabulation = read_tabulation(declaration, problems);
    if (!tabulation) return std::nullopt;
    numerics::Progression grid = tabulation->grid.range;
    if (limits) {
        const auto [begin, end] = grid.between(limits->from, limits->to);
        if (begin == end) {
            problems.add(place_of_key(declaration, "range"), "no value of the grid is in the range", "one at least");
            return std::nullopt;
        }
        if (const auto beyond =
                find_beyond(*limits, tabulation->grid.variable, grid.exact(0), grid.exact(grid.count() - 1)))
            problems.add(*beyond);
        grid = grid.part(begin, end - begin);
    }
    return Own{std::move(tabulation->formula), {tabulation->grid.variable, true, grid}};
}

/// The level, which must be a number: `let` names may depend on the variable, but the level may not.
std::optional<Checked> read_level(const Declaration& declaration, core::Problems& problems) {
    core::Problems reported_elsewhere;
    const std::optional<Over> over = read_over(declaration, reported_elsewhere);
    const bool is_of = declaration.settings.find("of") != nullptr;
    const std::vector<std::string> variables = is_of  ? std::vector<std::string>{}
                                               : over ? over->variables()
                                                      : std::vector<std::string>{"n"};
    std::optional<Checked> level = read_formula(declaration, {.key = "level", .variables = variables}, problems);
    if (!level) return level;
    for (const std::string& name : formula::free_names(level->tree)) {
        if (!formula::reserved(name).empty()) continue;  // pi
        problems.add(place_of_key(declaration, "level"), "the level depends on '" + name + "'",
                     "one number: subtract what varies in the formula");
        return std::nullopt;
    }
    if (const double number = evaluate::evaluate(formula::compile(level->tree, {}), {})[0]; !std::isfinite(number))
        problems.add(place_of_key(declaration, "level"), "'level' is " + text_of(number), "a finite number");
    return level;
}

Direction read_direction(const Declaration& declaration) {
    const std::string text = core::Settings(declaration.settings, crossing_keys).text("direction");
    return text == "up" ? Direction::up : text == "down" ? Direction::down : Direction::any;
}

std::unique_ptr<Prepared> prepare_crossing(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::string_view given = one_of(declaration, {"of", "formula", "scheme"}, problems);
    const std::optional<Limits> limits = read_limits(declaration, "range", problems);
    std::optional<Checked> level = read_level(declaration, problems);
    const Direction direction = read_direction(declaration);
    if (given == "of") {
        refuse_beside_of(declaration, problems);
        std::optional<Of> of = read_of(declaration, problems);
        if (problems.reports() != before || !of) return nullptr;
        return std::make_unique<CrossingOfCurve>(std::move(*of), limits, std::move(level), direction);
    }
    if (given.empty()) return nullptr;
    core::Problems none;  // read_steps() reports what is wrong with `over`
    const std::optional<Over> over = read_over(declaration, none);
    const bool has_reals = over && !over->stretches.empty();
    std::optional<Own> own =
        has_reals ? read_reals(declaration, *over, problems) : read_steps(declaration, limits, problems);
    const auto boxes = core::Settings(declaration.settings, crossing_keys).count("boxes");
    if (problems.reports() != before || !own) return nullptr;
    return std::make_unique<CrossingOfFormula>(std::move(own->formula), std::move(level), std::move(own->dimension),
                                               direction, boxes);
}

}  // namespace

const Kind& crossing_kind() {
    static const Kind kind = {"crossing",
                              "where a curve goes from one side of a level to the other",
                              crossing_keys,
                              true,
                              prepare_crossing,
                              SearchRule::varied,
                              {"count >= 0 and count == floor(count) and last >= first"}};
    return kind;
}

}  // namespace farfield::quantity
