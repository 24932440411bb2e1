// The best value of a formula over variables, where a condition holds.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/closed.hpp"
#include "quantity/box_decider.hpp"
#include "quantity/definition.hpp"
#include "quantity/evidence.hpp"
#include "quantity/kinds.hpp"
#include "quantity/optimum_of.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using core::Key;
using core::KeyType;
using evaluate::Enclosing;
using formula::Node;
using formula::Op;
using numerics::Interval;

constexpr double optimum_digits = 1e-9;
/// Points at which no number of digits decides the condition. Each takes some milliseconds, and a condition with many
/// of them is decided at no further point.
constexpr std::size_t most_undecided_points = 100;
constexpr std::size_t most_settled_boxes = 2000;  // boxes for the point after the value is accurate enough

constexpr std::array<Key, 7> optimum_keys = {
    Key{.name = "formula", .type = KeyType::formula, .required = true, .meaning = "what is optimised"},
    Key{.name = "goal",
        .type = KeyType::text,
        .fallback = "greatest",
        .meaning = "which value is the best",
        .choices = "greatest|least"},
    Key{.name = "where", .type = KeyType::formula, .fallback = "everywhere", .meaning = "a condition on the variables"},
    Key{.name = "over",
        .type = KeyType::table,
        .unit = "{ x = [lo, hi] } or { x = { from, to, step } }",
        .required = true,
        .meaning = "the variables: all reals between, or in steps"},
    Key{.name = "boxes",
        .type = KeyType::integer,
        .fallback = "200000",
        .meaning = "largest number of boxes that are examined",
        .least = 1,
        .most = 1e9},
    Key{.name = "quantities",
        .type = KeyType::table,
        .unit = "{ NAME = { kind = \"...\", ... }, ... }",
        .meaning = "quantities whose fields, NAME.FIELD, the formula and the condition may use"},
    Key{.name = "samples",
        .type = KeyType::integer,
        .fallback = "400",
        .meaning = "with quantities: largest number of points at which they are computed",
        .least = 2,
        .most = 1e6},
};

/// The smallest value by branch and bound. A box is dropped if the condition fails on it, or if the formula stays above
/// a value at a known point where the condition holds. The box with the lowest bound is halved first.
class OptimumSearch {
public:
    OptimumSearch(const Node& tree, const Node& condition, const Domain& domain)
        : domain_(domain),
          value_(formula::simplify(tree), domain, formula::defined(tree)),
          decider_(condition, domain) {
        for (const Dimension& dimension : domain.dimensions()) slopes_.emplace_back(tree, dimension.variable, domain);
    }

    void run(std::size_t most, const std::function<bool()>& interrupted) {
        take(decider_.whole());
        std::size_t settled = 0;
        for (std::size_t boxes = 1; !open_.empty() && boxes < most && !interrupted();) {
            std::pop_heap(open_.begin(), open_.end(), is_later);
            const Bounded next = std::move(open_.back());
            if (next.lo > best_ || (is_close(next.lo) && ++settled > most_settled_boxes)) {
                open_.back() = next;
                std::push_heap(open_.begin(), open_.end(), is_later);
                break;
            }
            open_.pop_back();
            const std::vector<Box> halves = domain_.halves(next.open.box);
            if (halves.empty()) closed_.push_back(next);
            for (const Box& half : halves) {
                BoxDecider::Open open = next.open;
                open.box = half;
                take(std::move(open));
                ++boxes;
            }
        }
    }

    bool has_point() const { return point_.has_value(); }
    const Box& point() const { return *point_; }
    bool is_empty() const { return !point_ && open_.empty() && closed_.empty(); }

    /// Bounds of the smallest value; only a lower bound if no point is known at which the condition holds.
    Enclosure bounds() const {
        double lo = best_;
        for_each_left([&](const Bounded& each) { lo = std::min(lo, each.lo); });
        return {lo, best_};
    }

    /// An enclosure of the coordinates of all best points.
    Enclosure where(std::size_t dimension) const {
        const Enclosure found = domain_.values(*point_, dimension);
        Enclosure hull = found;
        for_each_left([&](const Bounded& each) {
            const Enclosure side = domain_.values(each.open.box, dimension);
            hull = {std::min(hull.lo, side.lo), std::max(hull.hi, side.hi)};
        });
        return hull;
    }

    /// Whether every best point has the same side as the point found. The values do not decide this, because integers
    /// beyond 2^53 share their enclosures.
    bool is_alone(std::size_t dimension) const {
        const Enclosure found = point_->sides[dimension];
        bool are_same = true;
        for_each_left([&](const Bounded& each) { are_same = are_same && each.open.box.sides[dimension] == found; });
        return are_same;
    }

private:
    struct Bounded {
        BoxDecider::Open open;
        double lo;  ///< below the formula where the condition holds in the box
    };

    static bool is_later(const Bounded& a, const Bounded& b) { return a.lo > b.lo; }
    bool is_close(double lo) const { return lo >= best_ - optimum_digits * std::abs(best_); }

    template <class Use>
    void for_each_left(Use use) const {
        for (const auto* list : {&open_, &closed_})
            for (const Bounded& each : *list)
                if (each.lo <= best_) use(each);
    }

    void take(BoxDecider::Open open) {
        Answer answer = decider_.decide(open, Enclosing::fast);
        if (answer == Answer::unknown && domain_.halves(open.box).empty())
            answer = decider_.decide(open, Enclosing::rigorous);
        if (answer == Answer::no) return;
        const Box middle = domain_.centre(open.box);
        const Enclosure at_middle = value_.over({middle}, Enclosing::fast).front();
        if (at_middle.hi < best_ && (answer == Answer::yes || holds_at(middle))) {
            best_ = at_middle.hi;
            point_ = middle;
        }
        const double lo =
            std::max(value_.over({open.box}, Enclosing::fast).front().lo, by_slopes(open.box, middle, at_middle));
        if (lo > best_) return;
        open_.push_back({std::move(open), lo});
        std::push_heap(open_.begin(), open_.end(), is_later);
    }

    bool holds_at(const Box& point) {
        if (undecided_points_ == most_undecided_points) return false;
        BoxDecider::Open open = decider_.whole();
        open.box = point;
        const Answer answer = decider_.decide(open, Enclosing::rigorous);
        if (answer == Answer::unknown) ++undecided_points_;
        return answer == Answer::yes;
    }

    /// The mean value form.
    double by_slopes(const Box& box, const Box& middle, const Enclosure& value) const {
        Interval sum{value.lo, value.hi};
        for (std::size_t i = 0; i < slopes_.size(); ++i) {
            const Enclosure side = domain_.values(box, i);
            const Enclosure centre = domain_.values(middle, i);
            const Interval slope = interval_of(slopes_[i].over({box}, Enclosing::fast).front());
            sum = sum + slope * (Interval{side.lo, side.hi} - Interval{centre.lo, centre.hi});
        }
        return numerics::is_undefined(sum) ? -numerics::infinity : sum.lo;
    }

    const Domain& domain_;
    BoxFunction value_;
    BoxDecider decider_;
    std::vector<BoxSlope> slopes_;
    std::vector<Bounded> open_;    ///< a heap, the lowest bound first
    std::vector<Bounded> closed_;  ///< too narrow to halve
    double best_ = numerics::infinity;
    std::size_t undecided_points_ = 0;
    std::optional<Box> point_;  ///< a point at which the condition holds and the formula is at most `best_`
};

class Optimum : public Prepared {
public:
    Optimum(Checked formula, std::optional<Checked> where, const Over& over, bool is_least, std::size_t boxes)
        : formula_(std::move(formula)), where_(std::move(where)), domain_(over), is_least_(is_least), boxes_(boxes) {}

    double cost() const override {
        const double of_condition = where_ ? operations(where_->tree) : 0;
        return static_cast<double>(boxes_) * (operations(formula_.tree) + of_condition);
    }

    void define(const DefinitionOf&, Definition& own) const override { state_within({"at"}, domain_, own); }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        result.notes.emplace_back("method", "interval subdivision");
        state(result.evidence, "formula", formula_.tree);
        if (where_) state(result.evidence, "where", where_->tree);
        const Node condition = where_ ? where_->tree : formula::parse(std::string("1 == 1"));
        const Node tree = is_least_ ? formula_.tree : formula::make(Op::negate, {formula_.tree});
        const BoxCondition has_value(formula::defined(formula_.tree), domain_);
        const auto without = find_without_value(has_value, domain_, boxes_, inputs.interrupted);
        if (without) {
            result.notes.emplace_back("not decided", describe(*without, domain_));
            report_none(result);
            return result;
        }
        if (const auto corner = where_ ? std::nullopt : extreme_at_corner(formula_, domain_, is_least_)) {
            result.set("best", corner->value);
            std::string met;
            for (std::size_t i = 0; i < corner->point.size(); ++i) {
                result.set(name_of(i), corner->point[i]);
                met += (i > 0 ? ", " : "") + domain_.dimensions()[i].variable + " = " +
                       numerics::rational_text(corner->corner[i]);
            }
            result.notes.emplace_back("met at", met);
            return result;
        }
        OptimumSearch search(tree, condition, domain_);
        search.run(boxes_, inputs.interrupted);
        if (search.has_point()) {
            report(search, result);
        } else {
            result.notes.emplace_back("not found", search.is_empty() ? "the condition holds nowhere"
                                                                     : "no point is shown to meet the condition");
            report_none(result);
        }
        return result;
    }

private:
    std::string name_of(std::size_t dimension) const {
        const std::vector<std::string> variables = domain_.variables();
        return variables.size() == 1 ? "at" : "at_" + variables[dimension];
    }

    /// Whether the best point certainly has this coordinate of the point found. A stretch between two doubles contains
    /// more than one number, even if a decimal end is known only by one of them.
    bool is_sure(const OptimumSearch& search, std::size_t dimension) const {
        const Enclosure side = search.point().sides[dimension];
        const numerics::Rational at = domain_.exact(dimension, side.lo);
        return side.lo == side.hi && search.is_alone(dimension) && enclosure_of(at) == search.where(dimension);
    }

    void report_none(core::Result& result) const {
        result.set("best", core::Cell::missing());
        for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) result.set(name_of(i), core::Cell::missing());
    }

    void report(const OptimumSearch& search, core::Result& result) const {
        Enclosure bounds = search.bounds();
        if (!is_least_) bounds = {-bounds.hi, -bounds.lo};
        const std::vector<formula::Replacement> point = domain_.exact_point(search.point());
        // The value at the point is the best one if no other value, or no other point, is left.
        bool is_only = bounds.lo == bounds.hi;
        if (!is_only) {
            is_only = true;
            for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) is_only = is_only && is_sure(search, i);
        }
        const std::optional<numerics::Rational> exact =
            is_only ? evaluate::exact_value(formula::substitute(formula_.tree, point)) : std::nullopt;
        // The value at the point found, which is one end of the bounds.
        result.set("best",
                   exact ? exact_cell(*exact) : core::Cell::enclosed(is_least_ ? bounds.hi : bounds.lo, bounds));
        std::string text;
        for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) {
            const Enclosure where = search.where(i);
            const numerics::Rational at = domain_.exact(i, search.point().sides[i].lo);
            result.set(name_of(i),
                       is_sure(search, i) ? exact_cell(at) : core::Cell::enclosed(numerics::nearest(at), where));
        }
        result.notes.emplace_back("met at", domain_.text(search.point()));
    }

    Checked formula_;
    std::optional<Checked> where_;
    Domain domain_;
    bool is_least_;
    std::size_t boxes_;
};

std::unique_ptr<Prepared> prepare_optimum(const Declaration& declaration, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return nullptr;
    const std::string goal = core::Settings(declaration.settings, optimum_keys).text("goal");
    const bool has_quantities = declaration.settings.find("quantities") != nullptr;
    const std::string_view other = has_quantities ? "boxes" : "samples";
    if (declaration.settings.find(other)) {
        problems.add(place_of_key(declaration, other),
                     "'" + std::string(other) + "' " + (has_quantities ? "with" : "without") + " 'quantities'",
                     has_quantities ? "'samples'" : "'boxes'");
        return nullptr;
    }
    if (has_quantities)
        return prepare_optimum_of(declaration, *over, goal == "least",
                                  core::Settings(declaration.settings, optimum_keys).count("samples"), problems);
    std::optional<Checked> formula =
        read_formula(declaration, {.key = "formula", .variables = over->variables()}, problems);
    std::optional<Checked> where;
    if (declaration.settings.find("where"))
        where = read_formula(
            declaration, {.key = "where", .variables = over->variables(), .type = formula::Type::boolean}, problems);
    if (where) require_variable(declaration, "where", *where, over->variables(), problems);
    if (problems.reports() != before || !formula) return nullptr;
    const auto boxes = core::Settings(declaration.settings, optimum_keys).count("boxes");
    return std::make_unique<Optimum>(std::move(*formula), std::move(where), *over, goal == "least", boxes);
}

}  // namespace

const Kind& optimum_kind() {
    static const Kind kind{"optimum",       "the best value of a formula over variables, under a condition",
                           optimum_keys,    true,
                           prepare_optimum, SearchRule::varied};
    return kind;
}

}  // namespace farfield::quantity
