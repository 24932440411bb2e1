#include "recheck/proof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "recheck/algebra.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_boxes = 40'000;

/// A part of the domain: the ends of each side; for a grid, its indexes.
struct Part {
    std::vector<std::pair<Rational, Rational>> ends;
};

Rational middle(const Rational& a, const Rational& b) {
    return (a + b) / Rational(2);
}

class Domain {
public:
    /// Only sides that the formula uses are halved.
    Domain(const std::vector<Side>& sides, const Node& formula) : sides_(sides) {
        for (const Side& side : sides) is_used_.push_back(uses(*formula, side.variable));
    }

    Part whole() const {
        Part part;
        for (const Side& side : sides_) {
            if (side.is_grid)
                part.ends.emplace_back(Rational(0), Rational(side.count - 1));
            else
                part.ends.emplace_back(side.from, side.to);
        }
        return part;
    }

    /// The side's values as reals, both ends included.
    std::pair<Rational, Rational> values(const Part& part, std::size_t side) const {
        const auto& [lo, hi] = part.ends[side];
        if (!sides_[side].is_grid) return {lo, hi};
        return {sides_[side].from + sides_[side].step * lo, sides_[side].from + sides_[side].step * hi};
    }

    Evaluator::Box box(const Part& part) const {
        Evaluator::Box box;
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const auto [lo, hi] = values(part, i);
            box.emplace_back(sides_[i].variable,
                             lo == hi ? Number(lo) : Number(Interval{enclose(lo).lo, enclose(hi).hi}));
        }
        return box;
    }

    /// Both halves of the side that is widest relative to the whole side. None for a point, or for a part so narrow
    /// that the undecided place is a point inside it: after 1100 halvings, which lead from 1e300 down to 1e-30.
    std::vector<Part> halves(const Part& part) const {
        std::size_t widest = sides_.size();
        Rational most(0);
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const Rational width = part.ends[i].second - part.ends[i].first;
            const Rational all = whole().ends[i].second - whole().ends[i].first;
            if (width.sign() == 0 || !is_used_[i]) continue;
            const Rational share = width / all;
            if (widest == sides_.size() || most < share) {
                widest = i;
                most = share;
            }
        }
        if (widest == sides_.size() || most < narrowest_) return {};
        Part low = part;
        Part high = part;
        const auto& [lo, hi] = part.ends[widest];
        const Rational cut = middle(lo, hi);
        low.ends[widest].second = sides_[widest].is_grid ? floor(cut) : cut;
        high.ends[widest].first = sides_[widest].is_grid ? floor(cut) + Rational(1) : cut;
        return {low, high};
    }

    Part centre(const Part& part) const {
        Part point = part;
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const auto& [lo, hi] = part.ends[i];
            const Rational cut = sides_[i].is_grid ? floor(middle(lo, hi)) : middle(lo, hi);
            point.ends[i] = {cut, cut};
        }
        return point;
    }

    const std::vector<Side>& sides() const { return sides_; }

private:
    const std::vector<Side>& sides_;
    std::vector<bool> is_used_;
    const Rational narrowest_ = *read_rational("1e-330");
};

/// Whether a statement holds on all of the domain, decided part by part.
Truth everywhere(const Domain& domain, const std::function<Truth(const Part&)>& decide) {
    std::vector<Part> open = {domain.whole()};
    for (std::size_t looked_at = 0; !open.empty(); ++looked_at) {
        if (looked_at == most_boxes) return Truth::maybe;
        const Part part = std::move(open.back());
        open.pop_back();
        const Truth truth = decide(part);
        if (truth == Truth::no) return truth;
        if (truth == Truth::yes) continue;
        const std::vector<Part> parts = domain.halves(part);
        if (parts.empty()) return Truth::maybe;
        open.insert(open.end(), parts.rbegin(), parts.rend());
    }
    return Truth::yes;
}

Truth is_defined(const Node& formula, const Domain& domain) {
    Evaluator evaluator;
    return everywhere(domain, [&](const Part& part) { return evaluator.value(formula, domain.box(part)).defined(); });
}

std::string first_of(const Facts& facts, std::string_view start) {
    const auto found = facts.lower_bound(start);
    if (found == facts.end() || !found->first.starts_with(start)) return {};
    const std::string rest = found->first.substr(start.size());
    return rest.substr(0, rest.find('.'));
}

Rational number_of(const std::string& text) {
    const std::optional<Rational> value = read_rational(text);
    if (!value) throw Unprovable("'" + text + "' is not a number");
    return *value;
}

Side grid_of(const Quantity& quantity, const std::string& key, const std::string& variable) {
    Side side;
    side.variable = variable;
    side.is_grid = true;
    const std::string* from = quantity.fact(key + ".from");
    const std::string* step = quantity.fact(key + ".step");
    side.from = from ? number_of(*from) : Rational(0);
    side.step = step ? number_of(*step) : Rational(1);
    side.to = number_of(quantity.needed(key + ".to"));
    if (side.step.sign() <= 0 || side.to < side.from) throw Unprovable("an empty grid of '" + variable + "'");
    const auto count = whole_number(floor((side.to - side.from) / side.step));
    if (!count) throw Unprovable("a grid of too many points");
    side.count = *count + 1;
    return side;
}

}  // namespace

bool Side::contains(const Rational& value) const {
    if (!is_grid) return !(value < from) && !(to < value);
    const Rational index = (value - from) / step;
    return index.is_whole() && index.sign() >= 0 && index < Rational(count);
}

std::vector<Side> read_sides(const Quantity& quantity) {
    if (!first_of(quantity.facts, "setting.distances.").empty()) return {grid_of(quantity, "setting.distances", "n")};
    const std::string start = "setting.over.";
    std::vector<Side> sides;
    for (auto fact = quantity.facts.lower_bound(start); fact != quantity.facts.end() && fact->first.starts_with(start);
         ++fact) {
        const std::string rest = fact->first.substr(start.size());
        const std::string variable = rest.substr(0, rest.find('.'));
        if (!sides.empty() && sides.back().variable == variable) continue;
        const std::string key = start + variable;
        if (const std::string* lo = quantity.fact(key + ".0"))
            sides.push_back({variable, false, number_of(*lo), number_of(quantity.needed(key + ".1")), {}, 0});
        else
            sides.push_back(grid_of(quantity, key, variable));
    }
    return sides;
}

namespace {

/// Whether the difference at a point is certainly above the tolerance.
bool differs_at(const Node& difference, const std::vector<Side>& sides, const Point& point, const Number& tolerance) {
    Evaluator::Box box;
    for (std::size_t i = 0; i < sides.size(); ++i) {
        if (!sides[i].contains(point[i])) return false;
        box.emplace_back(sides[i].variable, Number(point[i]));
    }
    const Precision precision(256);
    Evaluator evaluator;
    return less(tolerance, abs(evaluator.value(difference, box))) == Truth::yes;
}

}  // namespace

Truth within_tolerance(const Node& left, const Node& right, const std::vector<Side>& sides, const Rational& tolerance,
                       const std::optional<Point>& hint) {
    const Node difference = make(Op::subtract, "", {left, right});
    const Domain domain(sides, difference);
    const Number bound(tolerance);
    if (hint && differs_at(difference, sides, *hint, bound)) return Truth::no;
    Evaluator evaluator;
    if (are_equal(left, right)) {
        if (is_defined(left, domain) == Truth::yes && is_defined(right, domain) == Truth::yes) return Truth::yes;
        return Truth::maybe;
    }
    return everywhere(domain, [&](const Part& part) {
        const Number value = abs(evaluator.value(difference, domain.box(part)));
        if (less_equal(value, bound) == Truth::yes) return Truth::yes;
        const Number at_centre = abs(evaluator.value(difference, domain.box(domain.centre(part))));
        return less(bound, at_centre) == Truth::yes ? Truth::no : Truth::maybe;
    });
}

namespace {

/// Whether all slopes have the wanted sign.
class Slopes {
public:
    Slopes(const Node& formula, const Domain& domain, std::size_t side, const Direction& direction)
        : formula_(formula), domain_(domain), side_(side), direction_(direction) {}

    Truth operator()(const Part& part) {
        const Side& side = domain_.sides()[side_];
        const auto [lo, hi] = domain_.values(part, side_);
        if (side.is_grid) {
            // Compares each value with the next; the last part of the side has no next value.
            if (lo == hi) return pair_rises(part);
            if (rises(part) == Truth::yes && joins_next(part)) return Truth::yes;
            return Truth::maybe;
        }
        return lo == hi ? Truth::yes : rises(part);
    }

private:
    int sign_of(const Interval& slope) const {
        const Interval wanted = direction_.sign > 0 ? slope : -slope;
        if (wanted.lo.sign() > 0) return 1;
        return wanted.lo.sign() == 0 ? 0 : -1;
    }

    Truth rises(const Part& part) {
        const Evaluator::Box box = domain_.box(part);
        const std::string& variable = domain_.sides()[side_].variable;
        const Jet jet = evaluator_.jet(formula_, box, variable);
        if (!jet.is_continuous) return Truth::maybe;
        Interval slope = jet.first;
        if (jet.is_smooth && sign_of(slope) < 0) {
            // f'(x) lies in f'(c) + f''(X) (x - c), for c at both ends and in the middle.
            const auto [lo, hi] = domain_.values(part, side_);
            const Interval reach{enclose(lo).lo, enclose(hi).hi};
            for (const Rational& c : {lo, hi, middle(lo, hi)}) {
                Evaluator::Box at = box;
                at[side_].second = Number(c);
                const Interval there = evaluator_.jet(formula_, at, variable).first;
                slope = common(slope, there + jet.second * (reach - enclose(c)));
            }
        }
        const int sign = sign_of(slope);
        if (sign < 0) return Truth::maybe;
        if (sign > 0 || !direction_.is_strict) return Truth::yes;
        return jet.is_smooth && differs_between_ends(part) ? Truth::yes : Truth::maybe;
    }

    /// A smooth formula is analytic in the variable. If it never falls and is not constant, it rises strictly.
    bool differs_between_ends(const Part& part) {
        const auto [lo, hi] = domain_.values(part, side_);
        return step_between(part, lo, hi) == Truth::yes;
    }

    /// Whether the value at `to` is beyond that at `from` in the wanted direction.
    Truth step_between(const Part& part, const Rational& from, const Rational& to) {
        Evaluator::Box box = domain_.box(part);
        box[side_].second = Number(from);
        const Number before = evaluator_.value(formula_, box);
        box[side_].second = Number(to);
        const Number after = evaluator_.value(formula_, box);
        const Number& low = direction_.sign > 0 ? before : after;
        const Number& high = direction_.sign > 0 ? after : before;
        return direction_.is_strict ? less(low, high) : less_equal(low, high);
    }

    Truth pair_rises(const Part& part) {
        const Side& side = domain_.sides()[side_];
        const Rational here = domain_.values(part, side_).first;
        const Rational next = here + side.step;
        return side.contains(next) ? step_between(part, here, next) : Truth::yes;
    }

    bool joins_next(const Part& part) {
        Part last = part;
        last.ends[side_].first = last.ends[side_].second;
        return pair_rises(last) == Truth::yes;
    }

    const Node& formula_;
    const Domain& domain_;
    std::size_t side_;
    Direction direction_;
    Evaluator evaluator_;
};

/// Whether there are two values of the variable near the hint between which the formula has the opposite direction.
bool goes_back(const Node& formula, const Domain& domain, std::size_t at, const Direction& direction,
               const Rational& hint) {
    const Precision precision(256);
    Evaluator evaluator;
    const Side& side = domain.sides()[at];
    const Part part = domain.centre(domain.whole());
    const auto value = [&](const Rational& x) {
        Evaluator::Box box = domain.box(part);
        box[at].second = Number(x);
        return evaluator.value(formula, box);
    };
    if (!side.contains(hint)) return false;
    Rational reach = side.is_grid ? side.step : side.to - hint;
    for (int halving = 0; halving < 60; ++halving) {
        const Rational next = hint + reach;
        if (side.contains(next) && hint < next) {
            const Number before = direction.sign > 0 ? value(hint) : value(next);
            const Number after = direction.sign > 0 ? value(next) : value(hint);
            if (less(after, before) == Truth::yes) return true;
            if (direction.is_strict && equal(after, before) == Truth::yes) return true;
        }
        if (side.is_grid) return false;
        reach = reach / Rational(2);
    }
    return false;
}

}  // namespace

Truth is_monotone(const Node& formula, const std::vector<Side>& sides, const std::string& variable,
                  const Direction& direction, const std::optional<Rational>& hint) {
    const Domain domain(sides, formula);
    const auto side =
        std::find_if(sides.begin(), sides.end(), [&](const Side& each) { return each.variable == variable; });
    if (side == sides.end()) throw Unprovable("the domain lacks the variable '" + variable + "'");
    const auto at = static_cast<std::size_t>(side - sides.begin());
    if (hint && goes_back(formula, domain, at, direction, *hint)) return Truth::no;
    Slopes slopes(formula, domain, at, direction);
    return everywhere(domain, [&](const Part& part) { return slopes(part); });
}

Number extreme(const Node& formula, const std::vector<Side>& sides, int sign, const Node& where,
               const std::optional<Point>& met) {
    const Domain domain(sides, formula);
    Evaluator evaluator;
    struct Open {
        Part part;
        Interval bound;
        bool operator<(const Open& other) const { return bound.hi < other.bound.hi; }
    };
    std::priority_queue<Open> open;
    Float found(-std::numeric_limits<double>::infinity());
    const auto meet = [&](const Evaluator::Box& point) {
        const Number value = evaluator.value(formula, point);
        if (value.defined() != Truth::yes) throw Unprovable("the formula may have no value in the domain");
        if (where && evaluator.truth(where, point) != Truth::yes) return;
        const Interval at = sign > 0 ? value.interval() : -value.interval();
        found = std::max(found, at.lo);
    };
    if (met) {
        Evaluator::Box point;
        for (std::size_t i = 0; i < sides.size(); ++i) point.emplace_back(sides[i].variable, Number((*met)[i]));
        meet(point);
    }
    const auto add = [&](const Part& part) {
        if (where && evaluator.truth(where, domain.box(part)) == Truth::no) return;
        const Number value = evaluator.value(formula, domain.box(part));
        meet(domain.box(domain.centre(part)));
        open.push({part, value.defined() == Truth::yes ? (sign > 0 ? value.interval() : -value.interval())
                                                       : Interval::line()});
    };
    add(domain.whole());
    for (std::size_t looked_at = 0; looked_at < most_boxes && !open.empty(); ++looked_at) {
        const Open top = open.top();
        if (top.bound.hi < found) break;
        Float gap;
        arf_sub(gap.get(), top.bound.hi.get(), found.get(), 30, ARF_RND_UP);
        if (top.bound.is_bounded() && arf_cmpabs_2exp_si(gap.get(), -40) < 0) break;
        const std::vector<Part> parts = domain.halves(top.part);
        if (parts.empty()) break;
        open.pop();
        for (const Part& part : parts) add(part);
    }
    const Interval value{found, open.empty() ? found : std::max(found, open.top().bound.hi)};
    if (!value.is_bounded()) throw Unprovable("the formula is not bounded on the domain");
    return Number(sign > 0 ? value : -value);
}

namespace {

/// Whether the double is the nearest one to the exact number.
bool is_nearest(double number, const Rational& exact) {
    const auto distance = [&](double other) {
        const Rational difference = of_double(other) - exact;
        return difference.sign() < 0 ? -difference : difference;
    };
    const Rational own = distance(number);
    const auto is_no_nearer = [&](double other) { return !std::isfinite(other) || !(distance(other) < own); };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return is_no_nearer(std::nextafter(number, -infinity)) && is_no_nearer(std::nextafter(number, infinity));
}

}  // namespace

Rational on_side(const Side& side, double number) {
    Rational value = of_double(number);
    if (side.is_grid) {
        const auto index = whole_number(floor((value - side.from) / side.step + Rational(1) / Rational(2)));
        if (!index || *index < 0 || *index >= side.count) throw Unprovable("a value outside the domain");
        return side.at(*index);
    }
    // An end of the domain need not be a double.
    for (const Rational& end : {side.from, side.to})
        if (is_nearest(number, end)) return end;
    if (!side.contains(value)) throw Unprovable("a value outside the domain");
    return value;
}

}  // namespace farfield::recheck
