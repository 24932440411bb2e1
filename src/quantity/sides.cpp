#include "quantity/sides.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <farfield/formula/assumptions.hpp>
#include <farfield/formula/simplify.hpp>

#include "evaluate/closed.hpp"
#include "evaluate/enclosed_waves.hpp"
#include "evaluate/grid_lane.hpp"
#include "quantity/box_function.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using evaluate::Enclosing;
using evaluate::Truth;
using formula::Node;
using formula::Op;

/// The most values that are decided by more than double intervals.
constexpr std::size_t most_rigorous_of = 20'000;
/// Boxes that are processed together.
constexpr std::size_t most_sides_at_once = 4096;
constexpr std::size_t fewest_for_waves = 1024;

class SideSearch {
public:
    SideSearch(const Node& tree, const Domain& domain, std::size_t most, const std::function<bool()>& interrupted)
        : tree_(tree),
          domain_(domain),
          dimension_(domain.dimensions().front()),
          most_(most),
          interrupted_(interrupted),
          value_(formula::simplify(tree), domain, formula::defined(tree)),
          slope_(tree, dimension_.variable, domain),
          rises_(formula::trend(tree, dimension_.variable).rises, domain),
          falls_(formula::trend(tree, dimension_.variable).falls, domain) {}

    std::vector<SidePart> run() {
        if (look_at_waves()) return joined();
        std::vector<Box> open = {domain_.whole()};
        for (std::size_t looked_at = 0; !open.empty();) {
            if (looked_at >= most_ || interrupted_()) break;
            const std::size_t count = std::min(open.size(), most_sides_at_once);
            const std::vector<Box> boxes(open.end() - static_cast<std::ptrdiff_t>(count), open.end());
            open.resize(open.size() - count);
            looked_at += count;
            look(boxes, open);
        }
        for (const Box& box : open) add_unknown(box.sides.front(), changes_within(box));
        std::sort(parts_.begin(), parts_.end(), [](const SidePart& a, const SidePart& b) {
            return std::pair(a.where.lo, a.where.hi) < std::pair(b.where.lo, b.where.hi);
        });
        return joined();
    }

private:
    /// Processes all values of a grid at once, if the formula is a sum of waves.
    bool look_at_waves() {
        if (!dimension_.is_grid || dimension_.grid.count() < fewest_for_waves) return false;
        const std::optional<evaluate::Range> range = evaluate::range_of(dimension_.grid);
        if (!range) return false;
        std::mutex mutex;
        std::map<std::size_t, std::vector<SidePart>> pieces;  // by the first value
        const auto visit = [&](std::size_t first, std::span<const Enclosure> values) {
            std::vector<SidePart> parts = parts_of(first, values);
            const std::lock_guard lock(mutex);
            pieces.emplace(first, std::move(parts));
        };
        const formula::Program program = formula::compile(tree_, {{}, {dimension_.variable}, {}});
        if (!evaluate::enclose_waves(program, *range, visit)) return false;
        for (const auto& [first, parts] : pieces) {
            for (const SidePart& part : parts) {
                if (part.side == Side::unknown)
                    add_point(part.where.lo);
                else
                    parts_.push_back(part);
            }
        }
        return true;
    }

    /// Groups the values into parts on one side; a value whose side is unknown is its own part.
    static std::vector<SidePart> parts_of(std::size_t first, std::span<const Enclosure> values) {
        std::vector<SidePart> parts;
        for (std::size_t i = 0; i < values.size();) {
            const std::size_t begin = i;
            const Side side = side_of(values[i++]);
            if (side == Side::above)
                while (i < values.size() && values[i].lo > 0) ++i;
            else if (side == Side::below)
                while (i < values.size() && values[i].hi < 0) ++i;
            parts.push_back({{static_cast<double>(first + begin), static_cast<double>(first + i - 1)}, side, true, 0});
        }
        return parts;
    }

    void look(const std::vector<Box>& boxes, std::vector<Box>& open) {
        const std::vector<Enclosure> values = value_.over(boxes, Enclosing::fast);
        std::vector<Box> left;
        left.reserve(boxes.size());
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const Side side = side_of(values[i]);
            if (side != Side::unknown)
                add(boxes[i].sides.front(), side);
            else if (dimension_.is_grid && domain_.is_point(boxes[i]))
                add_point(boxes[i].sides.front().lo);
            else
                left.push_back(boxes[i]);
        }
        const std::vector<bool> monotone = are_monotone(left);
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (monotone[i]) {
                bisect(left[i].sides.front());
                continue;
            }
            const std::vector<Box> halves = domain_.halves(left[i]);
            if (halves.empty()) add_unknown(left[i].sides.front(), SidePart::unlimited);
            open.insert(open.end(), halves.begin(), halves.end());
        }
    }

    void add(const Enclosure& where, Side side, bool is_strict = true) {
        parts_.push_back({where, side, is_strict, 0});
    }
    void add_unknown(const Enclosure& where, double most_changes) {
        parts_.push_back({where, Side::unknown, true, most_changes});
    }

    /// An unknown value of a grid may be on another side than both its neighbours.
    static double changes_within(double points) { return points + 1; }
    double changes_within(const Box& box) const {
        return dimension_.is_grid ? changes_within(box.sides.front().width() + 1) : SidePart::unlimited;
    }

    void add_point(double at) {
        const Side side = side_at(at);
        if (side == Side::unknown)
            add_unknown(Enclosure::exactly(at), changes_within(1));
        else
            add(Enclosure::exactly(at), side);
    }

    /// Whether the formula never falls or never rises over the reals of the box.
    std::vector<bool> are_monotone(const std::vector<Box>& boxes) const {
        std::vector<bool> monotone(boxes.size(), false);
        const std::vector<Enclosure> slopes = slope_.over(boxes, Enclosing::fast);
        const std::vector<Truth> rise = rises_.decide(boxes, Enclosing::fast);
        const std::vector<Truth> fall = falls_.decide(boxes, Enclosing::fast);
        for (std::size_t i = 0; i < boxes.size(); ++i)
            monotone[i] = slopes[i].lo >= 0 || slopes[i].hi <= 0 || rise[i] == Truth::yes || fall[i] == Truth::yes;
        return monotone;
    }

    /// For a box on which the formula is monotone: finds where it leaves the side of the lower end, and where it
    /// reaches the side of the upper end.
    void bisect(const Enclosure& box) {
        const Side first = side_at(box.lo);
        const Side last = side_at(box.hi);
        if (first == last && first != Side::unknown) {
            add(box, first);
            return;
        }
        std::pair<double, double> leaves{box.lo, box.hi};
        std::pair<double, double> reaches{box.lo, box.hi};
        halve(leaves, [&](Side side) { return side == first; });
        reaches.first = leaves.first;
        halve(reaches, [&](Side side) { return side != last; });
        const bool has_first = first == Side::below || first == Side::above;
        const bool has_last = last == Side::below || last == Side::above;
        if (has_first) add({box.lo, leaves.first}, first);
        if (has_last) add({reaches.second, box.hi}, last);
        const Enclosure between{has_first ? next(leaves.first) : box.lo, has_last ? before(reaches.second) : box.hi};
        if (between.lo > between.hi) return;
        if (side_at(between.lo) == Side::on && side_at(between.hi) == Side::on)
            add(between, Side::on);
        else if (first == Side::on && has_last)
            add(between, last, false);
        else if (last == Side::on && has_first)
            add(between, first, false);
        else
            add_unknown(between, 1 + at_end(first) + at_end(last));
    }

    /// Boxes of reals share their ends; from one value of a grid to the next the side may change once more.
    double at_end(Side side) const { return dimension_.is_grid && side == Side::unknown ? 1 : 0; }

    /// Bisects down to neighbours: the condition holds at the first and does not hold at the second.
    template <class Condition>
    void halve(std::pair<double, double>& ends, Condition is_before) {
        while (true) {
            double middle = ends.first + (ends.second - ends.first) / 2;
            if (dimension_.is_grid) middle = std::floor(middle);
            if (middle <= ends.first || middle >= ends.second) return;
            (is_before(side_at(middle)) ? ends.first : ends.second) = middle;
        }
    }

    double next(double at) const { return dimension_.is_grid ? at + 1 : at; }
    double before(double at) const { return dimension_.is_grid ? at - 1 : at; }

    /// The side at a value of the grid, or at a double; at an end of a stretch, that of the exact end.
    Side side_at(double at) {
        Box point;
        point.sides.push_back(Enclosure::exactly(at));
        if (!dimension_.is_grid && at == dimension_.stretch.lo) point.sides.front() = enclosure_of(dimension_.lo);
        if (!dimension_.is_grid && at == dimension_.stretch.hi) point.sides.front() = enclosure_of(dimension_.hi);
        const Side fast = side_of(value_.over({point}, Enclosing::fast).front());
        if (fast != Side::unknown || rigorous_ >= most_rigorous_of) return fast;
        ++rigorous_;
        const Side rigorous = side_of(value_.over({point}, Enclosing::rigorous).front());
        if (rigorous != Side::unknown) return rigorous;
        return exact_side(formula::substitute(tree_, {{dimension_.variable, exact_node(domain_.exact(0, at))}}));
    }

    /// Unknown if the formula is not proved to have a value.
    static Side exact_side(const Node& closed) {
        const Node zero = formula::make_number("0");
        for (const auto& [op, side] :
             {std::pair(Op::less, Side::below), std::pair(Op::greater, Side::above), std::pair(Op::equals, Side::on)})
            if (evaluate::decide_exactly(formula::make(op, {closed, zero})) == Truth::yes) return side;
        return Side::unknown;
    }

    /// Joins neighbours on the same side into one part.
    std::vector<SidePart> joined() {
        std::size_t count = 0;
        for (const SidePart& part : parts_) {
            SidePart* const last = count > 0 ? &parts_[count - 1] : nullptr;
            const bool is_known = part.side != Side::unknown && part.is_strict;
            if (is_known && last != nullptr && last->side == part.side && last->is_strict)
                last->where.hi = std::max(last->where.hi, part.where.hi);
            else
                parts_[count++] = part;
        }
        parts_.resize(count);
        return std::move(parts_);
    }

    Node tree_;
    const Domain& domain_;
    Dimension dimension_;
    std::size_t most_;
    const std::function<bool()>& interrupted_;
    BoxFunction value_;
    BoxSlope slope_;
    BoxCondition rises_;
    BoxCondition falls_;
    std::vector<SidePart> parts_;
    std::size_t rigorous_ = 0;
};

}  // namespace

Side side_of(const Enclosure& value) {
    if (value.lo > 0) return Side::above;
    if (value.hi < 0) return Side::below;
    return value.lo == 0 && value.hi == 0 ? Side::on : Side::unknown;
}

std::vector<SidePart> find_sides(const Node& tree, const Domain& domain, std::size_t most,
                                 const std::function<bool()>& interrupted) {
    return SideSearch(tree, domain, most, interrupted).run();
}

}  // namespace farfield::quantity
