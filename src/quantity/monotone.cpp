// Whether a formula rises or falls in a variable everywhere on a domain: proved by subdivision, or the first
// counterexample.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/box_function.hpp"
#include "quantity/definition.hpp"
#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;
using formula::Op;

constexpr std::size_t most_rigorous_side = 20'000;
constexpr std::size_t most_fine_signs = 2'000;
using numerics::infinity;

constexpr std::array<Key, 4> monotone_keys = {
    Key{.name = "direction",
        .type = KeyType::text,
        .required = true,
        .meaning = "increasing and decreasing are strict; nondecreasing and nonincreasing allow equal values",
        .choices = "increasing|decreasing|nondecreasing|nonincreasing"},
    Key{.name = "over",
        .type = KeyType::table,
        .required = true,
        .meaning = "the domain: x = [lo, hi] for all reals between, n = { from, to, step } for a grid"},
    Key{.name = "in",
        .type = KeyType::text,
        .fallback = "the variable of over, if it has one",
        .meaning = "the variable in which the formula rises or falls; it does so for all values of the others"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "2000000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
};

struct MonotoneDirection {
    double sign = 1;  ///< of the slope of this direction
    bool is_strict = false;
};

struct MonotoneQuestion {
    Checked formula;
    Over over;
    std::string variable;
    MonotoneDirection direction;
    std::size_t boxes = 0;
};

/// Whether a slope with this enclosure has the opposite direction; such a box is a counterexample.
Answer judge(const Enclosure& slope, const MonotoneDirection& direction) {
    if (is_unknown(slope)) return Answer::unknown;
    const double least = direction.sign > 0 ? slope.lo : -slope.hi;
    const double most = direction.sign > 0 ? slope.hi : -slope.lo;
    if (least > 0 || (least == 0 && !direction.is_strict)) return Answer::no;
    if (most < 0 || (most == 0 && direction.is_strict)) return Answer::yes;
    return Answer::unknown;
}

/// The sign of a slope or difference that doubles leave undecided because a number is below their range. Uses
/// multiprecision, which has a larger range of exponents.
class FineSign {
public:
    /// The sign of a box counts only if the condition is proved to hold.
    FineSign(const formula::Node& tree, const formula::Condition& counts, const MonotoneDirection& direction,
             const Domain& domain)
        : counts_(counts, domain), goes_(formula::Condition::of(as_wanted(tree, direction)), domain) {}

    /// Gives the same answers as judge().
    Answer operator()(const Enclosure& fast, const Box& box) {
        const bool is_normal = std::min(std::abs(fast.lo), std::abs(fast.hi)) >= std::numeric_limits<double>::min();
        if ((is_normal && !is_unknown(fast)) || ++asked_ > most_fine_signs) return Answer::unknown;
        const auto rigorous = [&](const BoxCondition& condition) {
            return condition.decide({box}, evaluate::Enclosing::rigorous).front();
        };
        if (rigorous(counts_) != evaluate::Truth::yes) return Answer::unknown;
        const evaluate::Truth truth = rigorous(goes_);
        if (truth == evaluate::Truth::unknown) return Answer::unknown;
        return truth == evaluate::Truth::yes ? Answer::no : Answer::yes;
    }

private:
    static formula::Node as_wanted(const formula::Node& tree, const MonotoneDirection& direction) {
        const formula::Node zero = formula::make_number("0");
        const Op op = direction.is_strict ? Op::greater : Op::greater_equal;
        return direction.sign > 0 ? formula::make(op, {tree, zero}) : formula::make(op, {zero, tree});
    }

    BoxCondition counts_;
    BoxCondition goes_;
    std::size_t asked_ = 0;
};

/// The domain with the variable first, so that the first box in order is the first in that variable.
Domain ordered(const Over& over, const std::string& variable, bool shortened) {
    std::vector<Dimension> dimensions = Domain(over).dimensions();
    const auto first = std::find_if(dimensions.begin(), dimensions.end(),
                                    [&](const Dimension& dimension) { return dimension.variable == variable; });
    std::rotate(dimensions.begin(), first, first + 1);
    numerics::Progression& grid = dimensions.front().grid;
    if (shortened) grid = grid.part(0, grid.count() - 1);
    return Domain(std::move(dimensions));
}

formula::Condition goes_as(const formula::Trend& trend, const MonotoneDirection& direction) {
    if (direction.sign > 0) return direction.is_strict ? trend.rises_strictly : trend.rises;
    return direction.is_strict ? trend.falls_strictly : trend.falls;
}

/// Decides boxes on which the formula has the wanted direction because its operators have it.
class ByOperators {
public:
    ByOperators(const MonotoneQuestion& question, const Domain& domain)
        : goes_(goes_as(formula::trend(question.formula.tree, question.variable), question.direction), domain) {}

    void operator()(const std::vector<Box>& boxes, std::vector<Answer>& answers) const {
        if (goes_.is_never()) return;
        const std::vector<evaluate::Truth> truths = goes_.decide(boxes, evaluate::Enclosing::fast);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (answers[i] == Answer::unknown && truths[i] == evaluate::Truth::yes) answers[i] = Answer::no;
    }

private:
    BoxCondition goes_;
};

/// For a variable that takes all reals of a stretch: the sign of the derivative. Boxes are closed, so the formula has
/// the wanted direction on the union of touching boxes on each of which it is proved.
class Slope {
public:
    Slope(const MonotoneQuestion& question, const Domain& domain)
        : domain_(domain),
          direction_(question.direction),
          first_(domain.dimensions().front()),
          by_operators_(question, domain),
          slope_(question.formula.tree, question.variable, domain),
          is_smooth_(regular_as(formula::Regularity::smooth, question), domain),
          sign_(slope_.tree(), regular_as(formula::Regularity::lipschitz, question), direction_, domain),
          slope_at_(slope_.tree(), domain),
          bend_(slope_.tree(), question.variable, domain) {}

    std::vector<Answer> operator()(const std::vector<Box>& boxes) {
        const std::vector<Enclosure> slopes = slope_.over(boxes, evaluate::Enclosing::fast);
        std::vector<Answer> answers;
        for (std::size_t i = 0; i < boxes.size(); ++i) answers.push_back(judged(slopes[i], boxes[i]));
        by_operators_(boxes, answers);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (answers[i] == Answer::unknown) answers[i] = refuted_if_wide(sign_(slopes[i], boxes[i]), boxes[i]);
        std::vector<std::size_t> open;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (answers[i] == Answer::unknown) open.push_back(i);
        look_closer(boxes, open, answers);
        return answers;
    }

private:
    static formula::Condition regular_as(formula::Regularity regularity, const MonotoneQuestion& question) {
        return formula::regular(question.formula.tree, regularity, {question.variable});
    }

    Answer judged(const Enclosure& slope, const Box& box) const {
        return refuted_if_wide(judge(slope, direction_), box);
    }

    /// A counterexample is a pair of points: a box of one value has none.
    Answer refuted_if_wide(Answer answer, const Box& box) const {
        const bool has_width = first_.lo < first_.hi && box.sides.front().lo < box.sides.front().hi;
        return answer == Answer::yes && !has_width ? Answer::unknown : answer;
    }

    /// If the formula is smooth and its second derivative has one sign, the slope is monotone. It lies between its
    /// values at both ends, and has at most one zero.
    void look_closer(const std::vector<Box>& boxes, const std::vector<std::size_t>& open,
                     std::vector<Answer>& answers) {
        const std::vector<std::size_t> bent = bent_one_way(boxes, open);
        if (bent.empty() || (rigorous_ += bent.size()) > most_rigorous_side) return;
        std::vector<Box> ends;
        for (const std::size_t i : bent) {
            for (const double end : {boxes[i].sides.front().lo, boxes[i].sides.front().hi}) {
                ends.push_back(boxes[i]);
                ends.back().sides.front() = Enclosure::exactly(end);
            }
        }
        const std::vector<Enclosure> slopes = slope_at_.over(ends, evaluate::Enclosing::rigorous);
        for (std::size_t i = 0; i < bent.size(); ++i) {
            if (is_unknown(slopes[2 * i]) || is_unknown(slopes[2 * i + 1])) continue;
            const Enclosure between{std::min(slopes[2 * i].lo, slopes[2 * i + 1].lo),
                                    std::max(slopes[2 * i].hi, slopes[2 * i + 1].hi)};
            // A single zero of the slope does not make the formula constant, so the weak sign is enough.
            const bool is_fine = judge(between, {direction_.sign, false}) == Answer::no;
            answers[bent[i]] = is_fine ? Answer::no : judged(between, boxes[bent[i]]);
        }
    }

    /// The open boxes on which the second derivative is proved to have one sign: by fast arithmetic, or by rigorous
    /// arithmetic if a box is too narrow to halve.
    std::vector<std::size_t> bent_one_way(const std::vector<Box>& boxes, const std::vector<std::size_t>& open) const {
        std::vector<std::size_t> bent;
        std::vector<std::size_t> narrow;
        const auto look = [&](const std::vector<std::size_t>& which, evaluate::Enclosing how) {
            std::vector<Box> whole;
            whole.reserve(which.size());
            for (const std::size_t i : which) whole.push_back(boxes[i]);
            const std::vector<evaluate::Truth> smooth = is_smooth_.decide(whole, how);
            const std::vector<Enclosure> bends = bend_.over(whole, how);
            for (std::size_t i = 0; i < which.size(); ++i) {
                const bool has_one_sign = !is_unknown(bends[i]) && !bends[i].contains(0);
                if (smooth[i] == evaluate::Truth::yes && has_one_sign)
                    bent.push_back(which[i]);
                else if (how == evaluate::Enclosing::fast && domain_.halves(whole[i]).empty())
                    narrow.push_back(which[i]);
            }
        };
        look(open, evaluate::Enclosing::fast);
        look(narrow, evaluate::Enclosing::rigorous);
        return bent;
    }

    const Domain& domain_;
    MonotoneDirection direction_;
    Dimension first_;  ///< of the variable
    ByOperators by_operators_;
    BoxSlope slope_;
    BoxCondition is_smooth_;
    FineSign sign_;
    BoxFunction slope_at_;
    BoxSlope bend_;
    std::size_t rigorous_ = 0;
};

/// For a variable that takes the values of a grid: the sign of the difference between neighbours.
class Difference {
public:
    Difference(const MonotoneQuestion& question, const Domain& domain)
        : domain_(domain),
          question_(question),
          next_(next_value(question, domain)),
          difference_(formula::make(Op::subtract, {next_, question.formula.tree})),
          value_(difference_, domain),
          sign_(difference_, formula::defined(difference_), question.direction, domain),
          by_operators_(question, domain),
          slope_(question.formula.tree, question.variable, domain) {}

    std::vector<Answer> operator()(const std::vector<Box>& boxes) {
        std::vector<Answer> answers;
        for (const Enclosure& value : value_.over(boxes, evaluate::Enclosing::fast))
            answers.push_back(judge(value, question_.direction));
        use_steps_as_reals(boxes, answers);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (answers[i] == Answer::unknown && domain_.is_point(boxes[i])) answers[i] = at_point(boxes[i]);
        return answers;
    }

private:
    static formula::Node next_value(const MonotoneQuestion& question, const Domain& domain) {
        const formula::Node step = exact_node(domain.dimensions().front().grid.step());
        const formula::Node next = formula::make(Op::add, {formula::make_name(question.variable), step});
        return formula::substitute(question.formula.tree, {{question.variable, next}});
    }

    /// If the formula has the wanted direction over all reals from the first value to the one after the last, it also
    /// has it over the values of the grid. If it does not, this says nothing about the grid.
    void use_steps_as_reals(const std::vector<Box>& boxes, std::vector<Answer>& answers) const {
        std::vector<Box> longer = boxes;
        for (Box& box : longer) box.sides.front().hi += 1;
        by_operators_(longer, answers);
        const std::vector<Enclosure> slopes = slope_.over(longer, evaluate::Enclosing::fast);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (answers[i] == Answer::unknown && judge(slopes[i], question_.direction) == Answer::no)
                answers[i] = Answer::no;
        }
    }

    Answer at_point(const Box& box) {
        if (++rigorous_ > most_rigorous_side) return Answer::unknown;
        const Enclosure value = value_.over({box}, evaluate::Enclosing::rigorous).front();
        Answer answer = judge(value, question_.direction);
        if (answer == Answer::unknown) answer = sign_(value, box);
        if (answer != Answer::unknown || !value_.has_value().holds(box)) return answer;
        const std::vector<formula::Replacement> values = domain_.exact_point(box);
        const bool is_equal = formula::proves_equal(formula::substitute(next_, values),
                                                    formula::substitute(question_.formula.tree, values));
        if (!is_equal) return Answer::unknown;
        return question_.direction.is_strict ? Answer::yes : Answer::no;
    }

    const Domain& domain_;
    const MonotoneQuestion& question_;
    formula::Node next_;
    formula::Node difference_;
    BoxFunction value_;
    FineSign sign_;
    ByOperators by_operators_;
    BoxSlope slope_;
    std::size_t rigorous_ = 0;
};

class Monotone : public Prepared {
public:
    explicit Monotone(MonotoneQuestion question) : question_(std::move(question)) {}

    double cost() const override { return cost_of(static_cast<double>(question_.boxes)); }
    double usual_cost() const override { return cost_of(std::min(static_cast<double>(question_.boxes), usual_boxes)); }

    void define(const DefinitionOf&, Definition& own) const override {
        const Domain domain(question_.over);
        for (const Dimension& dimension : domain.dimensions())
            if (dimension.variable == question_.variable && dimension.is_grid)
                state_within("first_counterexample", dimension.grid.part(0, dimension.grid.count() - 1), own);
            else if (dimension.variable == question_.variable)
                state_between("first_counterexample", dimension.lo, dimension.hi, own);
    }

    core::Result run(const Inputs& inputs) const override {
        const bool is_grid = std::any_of(question_.over.grids.begin(), question_.over.grids.end(),
                                         [&](const Grid& grid) { return grid.variable == question_.variable; });
        const Domain domain = ordered(question_.over, question_.variable, is_grid);
        if (!is_grid) {
            First outcome = search(domain, inputs, Slope(question_, domain));
            const bool is_pair = look_across(domain, outcome);
            return report(outcome, domain, is_grid, is_pair);
        }
        return report(search(domain, inputs, Difference(question_, domain)), domain, is_grid, false);
    }

private:
    double cost_of(double most) const {
        double values = 1;
        for (const Grid& grid : question_.over.grids) values *= static_cast<double>(grid.range.count());
        const double boxes = question_.over.stretches.empty() ? 2 * values : most;
        return std::min(boxes, most) * (1 + operations(question_.formula.tree)) * 50;
    }

    template <class Judge>
    First search(const Domain& domain, const Inputs& inputs, Judge judge) const {
        return find_first(domain, question_.boxes, inputs.interrupted, std::ref(judge));
    }

    /// If slopes do not decide, values may: those at the ends of the undecided stretch, which may contain a jump, and,
    /// for a formula with a value everywhere, those of points across the domain. Returns whether they did.
    bool look_across(const Domain& domain, First& outcome) const {
        if (outcome.found || !outcome.unresolved) return false;
        const BoxFunction value(question_.formula.tree, domain);
        std::vector<Box> pairs = {*outcome.unresolved};
        if (value.has_value().holds(domain.whole()))
            for (const Box& pair : pairs_across(domain, outcome.unresolved->sides.front().lo)) pairs.push_back(pair);
        std::vector<Box> ends;
        for (const Box& pair : pairs) {
            for (const double end : {pair.sides.front().lo, pair.sides.front().hi}) {
                ends.push_back(pair);
                ends.back().sides.front() = Enclosure::exactly(end);
            }
        }
        const std::vector<Enclosure> values = value.over(ends, evaluate::Enclosing::rigorous);
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!goes_back(domain, pairs[i], values[2 * i], values[2 * i + 1])) continue;
            outcome.found = pairs[i];
            return true;
        }
        return false;
    }

    /// Pairs of neighbouring points and of points next to each other, in the middle of the other variables. The
    /// direction is proved before `first`.
    static std::vector<Box> pairs_across(const Domain& domain, double first) {
        constexpr int parts = 64;
        const Box whole = domain.whole();
        const Enclosure side{first, whole.sides.front().hi};
        const double step = side.width() / parts;
        std::vector<Box> pairs;
        for (int i = 0; i < parts && std::isfinite(step); ++i) {
            const double from = side.lo + i * step;
            for (const double to : {i + 1 == parts ? side.hi : side.lo + (i + 1) * step, from + step * 0x1p-20}) {
                pairs.push_back(domain.centre(whole));
                pairs.back().sides.front() = {from, to};
            }
        }
        return pairs;
    }

    /// Whether the values at both ends of the box's first side are a counterexample.
    bool goes_back(const Domain& domain, const Box& box, const Enclosure& low, const Enclosure& high) const {
        const Dimension& variable = domain.dimensions().front();
        const Enclosure side = box.sides.front();
        const bool are_inside = variable.holds(side.lo) && variable.holds(side.hi) && side.lo < side.hi;
        if (!are_inside || is_unknown(low) || is_unknown(high)) return false;
        const Enclosure difference{std::nextafter(high.lo - low.hi, -infinity),
                                   std::nextafter(high.hi - low.lo, infinity)};
        const bool is_equal = low == high && low.lo == low.hi;
        return judge(is_equal ? Enclosure::exactly(0) : difference, question_.direction) == Answer::yes;
    }

    /// A pair of values is a counterexample somewhere between them, so the first counterexample lies before its end.
    static core::Cell first_of(const First& outcome, const Domain& domain, bool is_pair) {
        if (!is_pair) return cell_of(domain, outcome);
        const Enclosure found = domain.values(*outcome.found, 0);
        return core::Cell::enclosed(found.lo, {domain.values(*outcome.unresolved, 0).lo, found.hi});
    }

    core::Result report(const First& outcome, const Domain& domain, bool is_grid, bool is_pair) const {
        core::Result result;
        const bool is_refuted = outcome.found.has_value();
        const bool is_decided = is_refuted || !outcome.unresolved;
        result.set("holds", is_decided ? core::Cell::exact(is_refuted ? 0 : 1) : core::Cell::missing());
        result.set("first_counterexample", first_of(outcome, domain, is_pair));
        result.notes.emplace_back("method", is_grid ? "sign of the difference of neighbours, by subdivision"
                                                    : "sign of the derivative, by interval subdivision");
        if (is_refuted) result.notes.emplace_back("counterexample", domain.text(*outcome.found));
        if (outcome.unresolved) result.notes.emplace_back("not decided at", domain.text(*outcome.unresolved));
        return result;
    }

    MonotoneQuestion question_;
};

MonotoneDirection read_monotone_direction(const Declaration& declaration) {
    const std::string text = core::read_text(declaration.settings, "direction").value_or("");
    const bool falls = text == "decreasing" || text == "nonincreasing";
    return {falls ? -1.0 : 1.0, text == "decreasing" || text == "increasing"};
}

std::optional<std::string> read_variable(const Declaration& declaration, const Over& over, core::Problems& problems) {
    const std::vector<std::string> variables = over.variables();
    std::optional<std::string> named = core::read_text(declaration.settings, "in");
    if (!named) {
        if (variables.size() == 1) return variables.front();
        problems.add(place_of_key(declaration, "over"), "'over' has " + std::to_string(variables.size()) + " variables",
                     "the key 'in' with the one in which the formula rises or falls");
        return std::nullopt;
    }
    if (std::find(variables.begin(), variables.end(), *named) == variables.end()) {
        problems.add(place_of_key(declaration, "in"), "'" + *named + "' is not a variable of 'over'", "",
                     core::known_here(*named, variables));
        return std::nullopt;
    }
    return named;
}

void check_domain(const MonotoneQuestion& question, core::Problems& problems) {
    for (const Grid& grid : question.over.grids) {
        if (grid.variable == question.variable && grid.range.count() < 2)
            problems.add(grid.place, "'" + grid.variable + "' has one value", "two at least");
        if (grid.variable == question.variable) return;
    }
}

std::unique_ptr<Prepared> prepare_monotone(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    one_of(declaration, {"formula"}, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return nullptr;
    const auto formula = read_formula(declaration, {.variables = over->variables()}, problems);
    const auto variable = read_variable(declaration, *over, problems);
    if (problems.reports() != before || !formula || !variable) return nullptr;
    MonotoneQuestion question{*formula, *over, *variable, read_monotone_direction(declaration),
                              core::Settings(declaration.settings, monotone_keys).count("boxes")};
    check_domain(question, problems);
    if (problems.reports() != before) return nullptr;
    return std::make_unique<Monotone>(std::move(question));
}

}  // namespace

const Kind& monotone_kind() {
    static const Kind kind{"monotone",
                           "whether a formula rises or falls everywhere on a domain",
                           monotone_keys,
                           true,
                           prepare_monotone,
                           SearchRule::varied,
                           {"holds >= 0 and holds <= 1 and holds == floor(holds)"}};
    return kind;
}

}  // namespace farfield::quantity
