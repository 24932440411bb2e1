#include "quantity/box_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/closed.hpp"
#include "quantity/box_function.hpp"
#include "quantity/tabulate.hpp"
#include "quantity/work.hpp"

namespace farfield::quantity {
namespace {

using evaluate::Enclosing;
using formula::Node;
using formula::Op;
using numerics::Interval;

using numerics::infinity;
constexpr double close_enough = 1e-12;
constexpr double narrow_enough = 1e-9;
constexpr std::size_t most_settled = 4000;  // boxes that are used for the argument after the value is accurate enough
constexpr std::size_t most_cornered = 10;   // the most variables, whose 2^10 corners are examined

core::Cell opposite(core::Cell cell) {
    if (cell.number) cell.number = -*cell.number;
    if (cell.enclosure) cell.enclosure = core::Enclosure{-cell.enclosure->hi, -cell.enclosure->lo};
    // Uses the text, because a number that is too large to be read also has an opposite.
    if (cell.rational.starts_with('-'))
        cell.rational.erase(0, 1);
    else if (!cell.rational.empty())
        cell.rational.insert(0, 1, '-');
    return cell;
}

struct Bounded {
    Box box;
    double lo;  ///< below the formula everywhere in the box
};

/// Searches for the smallest value of a formula that has a value on all of the domain.
class Search {
public:
    Search(const Node& tree, const Domain& domain, std::size_t most)
        : domain_(domain),
          most_(most),
          tree_(tree),
          simple_(formula::simplify(tree)),
          value_(simple_, domain, formula::defined(tree)) {
        for (const Dimension& dimension : domain.dimensions()) slopes_.emplace_back(tree, dimension.variable, domain);
    }

    /// The smallest value if the formula is monotone in every variable.
    std::optional<Extreme> in_corner() const {
        const std::optional<Corner> corner = least_corner();
        return corner ? std::optional(at_corner(*corner)) : std::nullopt;
    }

    Extreme run() {
        if (std::optional<Extreme> extreme = in_corner()) return *std::move(extreme);
        bound(corners());
        std::vector<Bounded> open = bound({domain_.whole()});
        std::vector<Bounded> closed;  // too narrow to halve
        for (std::size_t boxes = 1; boxes < most_ && !open.empty();) {
            std::vector<Box> halves = halve(open, closed);
            boxes += halves.size();
            open = bound(halves);
            drop(open);
            drop(closed);
            const bool is_close = lowest(open, closed) >= best_hi_ - close_enough * std::abs(best_hi_);
            if (is_close && (boxes >= most_settled || is_narrow(open))) break;
        }
        open.insert(open.end(), closed.begin(), closed.end());
        return answer(open);
    }

private:
    /// The lower or the upper end of each stretch.
    using Corner = std::vector<bool>;

    /// The corner with the least value, if the formula is monotone in every variable.
    std::optional<Corner> least_corner() const {
        Corner is_lower;
        for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) {
            const int direction = direction_in(i);
            if (direction == 0) return std::nullopt;
            is_lower.push_back(direction > 0);
        }
        return is_lower;
    }

    /// An end of a stretch: two neighbouring doubles if the end itself is not a double.
    core::Enclosure end_of(std::size_t dimension, bool is_lower) const {
        const Dimension& side = domain_.dimensions()[dimension];
        return enclosure_of(is_lower ? side.lo : side.hi);
    }

    /// 1 if the formula never decreases in the variable on the whole domain, -1 if it never increases, else 0.
    int direction_in(std::size_t dimension) const {
        const Box whole = domain_.whole();
        const core::Enclosure slope = slopes_[dimension].over({whole}, Enclosing::rigorous).front();
        if (slope.lo >= 0) return 1;
        if (slope.hi <= 0) return -1;
        const formula::Trend trend = formula::trend(tree_, domain_.dimensions()[dimension].variable);
        if (BoxCondition(trend.rises, domain_).holds(whole)) return 1;
        return BoxCondition(trend.falls, domain_).holds(whole) ? -1 : 0;
    }

    /// Whether two different values of the variable never give the same result, for any values of the others. Then no
    /// other point is as good.
    bool is_strict_in(std::size_t dimension) const {
        const Box whole = domain_.whole();
        const core::Enclosure slope = slopes_[dimension].over({whole}, Enclosing::rigorous).front();
        if (slope.lo > 0 || slope.hi < 0) return true;
        const formula::Trend trend = formula::trend(tree_, domain_.dimensions()[dimension].variable);
        return BoxCondition(trend.rises_strictly, domain_).holds(whole) ||
               BoxCondition(trend.falls_strictly, domain_).holds(whole);
    }

    /// The end of a side; its enclosure includes the rest of the side if other points may be as good.
    core::Cell end_cell(std::size_t dimension, bool is_lower) const {
        const Dimension& side = domain_.dimensions()[dimension];
        core::Cell end = exact_cell(is_lower ? side.lo : side.hi);
        if (side.lo == side.hi || is_strict_in(dimension)) return end;
        return cell(*end.number, {enclosure_of(side.lo).lo, enclosure_of(side.hi).hi});
    }

    Extreme at_corner(const Corner& is_lower) const {
        Extreme extreme;
        Box corner;
        std::vector<formula::Replacement> ends;
        for (std::size_t i = 0; i < is_lower.size(); ++i) {
            const Dimension& side = domain_.dimensions()[i];
            corner.sides.push_back(end_of(i, is_lower[i]));
            extreme.point.push_back(end_cell(i, is_lower[i]));
            extreme.corner.push_back(is_lower[i] ? side.lo : side.hi);
            ends.push_back({side.variable, exact_node(is_lower[i] ? side.lo : side.hi)});
        }
        if (const auto exact = evaluate::exact_value(formula::substitute(tree_, ends)))
            extreme.value = exact_cell(*exact);
        else
            extreme.value = cell(value_at(corner), value_.over({corner}, Enclosing::rigorous).front());
        return extreme;
    }

    /// The extremes of a monotone formula are at the corners of the box.
    std::vector<Box> corners() const {
        std::vector<Box> found = {domain_.whole()};
        for (std::size_t side = 0; side < domain_.dimensions().size() && side < most_cornered; ++side) {
            const std::size_t count = found.size();
            for (std::size_t b = 0; b < count; ++b) {
                found.push_back(found[b]);
                found[b].sides[side] = end_of(side, true);
                found.back().sides[side] = end_of(side, false);
            }
        }
        return found;
    }

    /// Computes lower bounds of the boxes, and the best value from their centres.
    std::vector<Bounded> bound(const std::vector<Box>& boxes) {
        std::vector<Box> middles;
        middles.reserve(boxes.size());
        for (const Box& box : boxes) middles.push_back(domain_.centre(box));
        const std::vector<core::Enclosure> whole = value_.over(boxes, Enclosing::fast);
        const std::vector<core::Enclosure> middle = value_.over(middles, Enclosing::fast);
        std::vector<std::vector<core::Enclosure>> slopes;
        for (const BoxSlope& slope : slopes_) slopes.push_back(slope.over(boxes, Enclosing::fast));
        std::vector<Bounded> bounded;
        bounded.reserve(boxes.size());
        for (std::size_t b = 0; b < boxes.size(); ++b) {
            if (middle[b].hi < best_hi_) {
                best_hi_ = middle[b].hi;
                best_ = middles[b];
            }
            const double by_slope = mean_value_bound(boxes[b], middles[b], middle[b], slopes, b);
            bounded.push_back({boxes[b], std::max(whole[b].lo, by_slope)});
        }
        return bounded;
    }

    double mean_value_bound(const Box& box, const Box& middle, const core::Enclosure& value,
                            const std::vector<std::vector<core::Enclosure>>& slopes, std::size_t b) const {
        Interval sum{value.lo, value.hi};
        for (std::size_t i = 0; i < slopes.size(); ++i) {
            const core::Enclosure side = domain_.values(box, i);
            const core::Enclosure centre = domain_.values(middle, i);
            const Interval slope{slopes[i][b].lo, slopes[i][b].hi};
            sum = sum + slope * (Interval{side.lo, side.hi} - Interval{centre.lo, centre.hi});
        }
        return numerics::is_undefined(sum) ? -infinity : sum.lo;
    }

    std::vector<Box> halve(const std::vector<Bounded>& open, std::vector<Bounded>& closed) const {
        std::vector<Box> halves;
        for (const Bounded& bounded : open) {
            const std::vector<Box> parts = domain_.halves(bounded.box);
            if (parts.empty()) closed.push_back(bounded);
            halves.insert(halves.end(), parts.begin(), parts.end());
        }
        return halves;
    }

    /// Whether every side of the remaining boxes is only a small share of the searched box.
    bool is_narrow(const std::vector<Bounded>& boxes) const {
        const Box whole = domain_.whole();
        return std::all_of(boxes.begin(), boxes.end(), [&](const Bounded& bounded) {
            for (std::size_t i = 0; i < whole.sides.size(); ++i)
                if (bounded.box.sides[i].width() > narrow_enough * whole.sides[i].width()) return false;
            return true;
        });
    }

    void drop(std::vector<Bounded>& boxes) const {
        std::erase_if(boxes, [&](const Bounded& bounded) { return bounded.lo > best_hi_; });
    }

    static double lowest(const std::vector<Bounded>& open, const std::vector<Bounded>& closed) {
        double lo = infinity;
        for (const auto* boxes : {&open, &closed})
            for (const Bounded& bounded : *boxes) lo = std::min(lo, bounded.lo);
        return lo;
    }

    double value_at(const Box& point) const {
        evaluate::Inputs inputs;
        for (const core::Enclosure& side : point.sides)
            inputs.varying.emplace_back(std::span<const double>(&side.lo, 1));
        return evaluate::evaluate(formula::compile(simple_, {{}, domain_.variables(), {}}), inputs)[0];
    }

    Extreme answer(const std::vector<Bounded>& left) const {
        Extreme extreme;
        for (std::size_t i = 0; i < domain_.dimensions().size(); ++i) {
            core::Enclosure where{infinity, -infinity};
            for (const Bounded& bounded : left) {
                const core::Enclosure side = domain_.values(bounded.box, i);
                where = {std::min(where.lo, side.lo), std::max(where.hi, side.hi)};
            }
            extreme.point.push_back(cell(best_.sides[i].lo, where));
        }
        extreme.value = cell(value_at(best_), {lowest(left, {}), best_hi_});
        return extreme;
    }

    const Domain& domain_;
    std::size_t most_;
    Node tree_;
    Node simple_;
    BoxFunction value_;
    std::vector<BoxSlope> slopes_;
    double best_hi_ = infinity;                   ///< above the least value
    Box best_ = domain_.centre(domain_.whole());  ///< the point that proves it
};

bool has_grid(const Domain& domain) {
    const std::vector<Dimension>& sides = domain.dimensions();
    return std::any_of(sides.begin(), sides.end(), [](const Dimension& side) { return side.is_grid; });
}

}  // namespace

Extreme find_extreme(const Checked& formula, const Domain& domain, bool is_least, std::size_t most) {
    if (has_grid(domain)) throw core::PreconditionError("find_extreme", "domain", "a grid", "reals alone");
    if (is_least) return Search(formula.tree, domain, most).run();
    Extreme extreme = Search(formula::make(Op::negate, {formula.tree}), domain, most).run();
    extreme.value = opposite(extreme.value);
    return extreme;
}

std::optional<Extreme> extreme_at_corner(const Checked& formula, const Domain& domain, bool is_least) {
    if (has_grid(domain)) return std::nullopt;
    const formula::Node tree = is_least ? formula.tree : formula::make(Op::negate, {formula.tree});
    std::optional<Extreme> extreme = Search(tree, domain, 0).in_corner();
    if (extreme && !is_least) extreme->value = opposite(extreme->value);
    return extreme;
}

double box_search_cost(const formula::Node& tree, std::size_t most) {
    return static_cast<double>(most) * operations(tree);
}

}  // namespace farfield::quantity
