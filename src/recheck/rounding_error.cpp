// Proves bounds of rounding errors again, with the slopes and the subdivision of the second implementation.
#include <algorithm>
#include <map>
#include <optional>
#include <queue>

#include "recheck/algebra.hpp"
#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"
#include "recheck/rounded_formula.hpp"

namespace farfield::recheck {
namespace {

/// The most boxes of a search times the operations of the formula: about ten seconds.
constexpr std::size_t most_work = 1'000'000;
constexpr std::size_t least_work = 50;  // the least work of a box, for short formulas
constexpr long bits_of_bounds = 64;
/// A side whose influence the slopes do not show is halved if it is wider by this factor.
constexpr double most_thinner = 8;

Node without_rounding(const Node& tree) {
    if (tree->parts.empty()) return tree;
    if (format_of(tree->op)) return without_rounding(tree->parts[0]);
    std::vector<Node> parts;
    for (const Node& part : tree->parts) parts.push_back(without_rounding(part));
    return make(tree->op, tree->name, std::move(parts));
}

class RoundingError : public Computed {
public:
    explicit RoundingError(const Quantity& quantity)
        : quantity_(quantity), sides_(read_sides(quantity)), formula_(quantity.formula("formula")) {
        if (sides_.empty()) throw Unprovable("a rounding error without a domain");
        for (const Side& side : sides_) variables_.push_back(side.variable);
        steps_ = steps_of(formula_, variables_);
        if (quantity.fact("exact")) {
            exact_ = quantity.formula("exact");
            return;
        }
        const std::string* format = quantity.fact("setting.format");
        model_.format = &find_format(format ? *format : "fp64");
        const std::string* inputs = quantity.fact("setting.inputs");
        model_.rounds_inputs = inputs && *inputs == "real";
    }

    Number field(const std::string& name) override {
        const auto known = known_.find(name);
        if (known != known_.end()) return known->second;
        return known_.emplace(name, fresh_field(name)).first->second;
    }

private:
    Number fresh_field(const std::string& name) {
        if (name == "found") return error_at(recorded_point()).first;
        if (name != "absolute" && name != "relative" && name != "ulps")
            throw Unprovable("the recheck does not compute '" + name + "' of a rounding error");
        if (name == "ulps" && !model_.format) throw Unprovable("units in the last place without a format");
        const auto recorded = quantity_.enclosures.find(name);
        if (recorded == quantity_.enclosures.end()) throw Unprovable("no bound is on record");
        const Float bound = search(name, Float(recorded->second.second));
        if (!bound.is_finite()) throw Unprovable("no bound of '" + name + "' within the work limit");
        const Float least = largest_found(name);
        if (bound < least) throw Unprovable("the bound on record is below the error at the point on record");
        return Number(Interval{least, bound});
    }

    std::optional<Point> recorded_point() const {
        Point point;
        for (const Side& side : sides_) {
            const auto value = quantity_.values.find("found_" + side.variable);
            if (value == quantity_.values.end() || !value->second) return std::nullopt;
            point.push_back(of_double(*value->second));
            if (!side.contains(point.back())) return std::nullopt;
        }
        return point;
    }

    /// |computed - exact|, and |exact|.
    std::pair<Number, Number> error_at(const std::optional<Point>& point) const {
        if (!point) throw Unprovable("no point of the domain is on record");
        const Precision precision(256);
        AtPoint at = at_point(steps_, model_, *point);
        if (exact_) at.exact = at_point(steps_of(exact_, variables_), {}, *point).computed;
        const Number error = abs(at.computed - at.exact);
        if (error.defined() != Truth::yes || error.infinite() != 0) throw Unprovable("no value at the point on record");
        return {error, abs(at.exact)};
    }

    /// The error at the recorded point; 0 if there is none.
    Float largest_found(const std::string& name) const try {
        const auto [error, size] = error_at(recorded_point());
        if (name == "absolute") return error.interval().lo;
        const Number unit = name == "ulps" ? Number(Interval::point(unit_at(size.interval().hi))) : size;
        const Number measured = error / unit;
        return measured.defined() == Truth::yes ? measured.interval().lo : Float();
    } catch (const Unprovable&) {
        return {};
    }

    /// 2^(exponent of the magnitude) in units of the last place.
    Float unit_at(const Float& magnitude) const {
        const long exponent =
            magnitude.sign() == 0 ? model_.format->lowest : arf_abs_bound_lt_2exp_si(magnitude.get()) - 1;
        Float unit(1);
        arf_mul_2exp_si(unit.get(), unit.get(), std::max(exponent, model_.format->lowest) + 1 - model_.format->bits);
        return unit;
    }

    /// The largest difference of the two formulas without any rounding.
    Interval gap() const {
        if (!exact_) return Interval::of(0, 0);
        const Node meant = without_rounding(formula_);
        if (are_equal(meant, exact_)) return Interval::of(0, 0);
        const Node apart = make(Op::subtract, "", {meant, exact_});
        Interval largest = Interval::of(0, 0);
        for (const int sign : {1, -1}) largest = max(largest, abs(extreme(apart, sides_, sign).interval()));
        return hull(Interval::point(largest.hi), -Interval::point(largest.hi));
    }

    struct Open {
        Float bound;
        Sweep::Box box;
        std::vector<Float> by_side;
        bool operator<(const Open& other) const { return bound < other.bound; }
    };

    /// A bound on the whole domain: the goal if it is a bound, otherwise the best bound within the work limit.
    Float search(const std::string& name, const Float& goal) const {
        const Interval apart = gap();
        const Precision precision(bits_of_bounds);
        Sweep sweep(steps_, model_);
        std::priority_queue<Open> open;
        const auto add = [&](const Sweep::Box& box, const Float& around) {
            const Float error = (Interval::point(sweep.bound(box)) + apart).hi;
            const Float bound = std::min(around, measured(name, error, sweep.result() + apart));
            if (!(bound <= goal)) open.push({bound, box, sweep.by_side()});
        };
        Sweep::Box whole;
        for (const Side& side : sides_)
            whole.push_back({enclose(side.from).lo, enclose(side.is_grid ? side.at(side.count - 1) : side.to).hi});
        add(whole, Interval::line().hi);
        for (std::size_t work = 0; !open.empty() && work < most_work; work += std::max(steps_.size(), least_work)) {
            const Open worst = open.top();
            const std::size_t side = side_to_halve(worst, whole);
            if (worst.box[side].is_point()) break;
            open.pop();
            Sweep::Box half = worst.box;
            half[side].hi = middle_of(worst.box[side]);
            add(half, worst.bound);
            half[side] = {half[side].hi, worst.box[side].hi};
            add(half, worst.bound);
        }
        return open.empty() ? goal : open.top().bound;
    }

    Float measured(const std::string& name, const Float& error, const Interval& exact) const {
        if (name == "absolute") return error;
        const Interval size = abs(exact);
        if (exact.contains_zero() || !size.is_bounded() || !error.is_finite()) return Interval::line().hi;
        const Float unit = name == "relative" ? size.lo : unit_at(size.lo);
        return (Interval::point(error) / Interval::point(unit)).hi;
    }

    static Float middle_of(const Interval& x) {
        Interval middle = Interval::point(x.lo) + Interval::point(x.hi);
        arf_mul_2exp_si(middle.lo.get(), middle.lo.get(), -1);
        return std::clamp(middle.lo, x.lo, x.hi);
    }

    /// The side whose width adds most to the bound, by slopes, or one that is far wider if its slopes are unknown.
    static std::size_t side_to_halve(const Open& worst, const Sweep::Box& whole) {
        const auto share = [&](std::size_t k) {
            const Float width = (Interval::point(worst.box[k].hi) - Interval::point(worst.box[k].lo)).hi;
            const Float all = (Interval::point(whole[k].hi) - Interval::point(whole[k].lo)).hi;
            return all.sign() > 0 ? width.up() / all.up() : 0;
        };
        std::size_t most = 0;
        std::size_t widest = 0;
        for (std::size_t k = 1; k < whole.size(); ++k) {
            if (worst.by_side[most] < worst.by_side[k]) most = k;
            if (share(k) > share(widest)) widest = k;
        }
        const bool says_nothing = worst.by_side[most].sign() == 0 || share(widest) > most_thinner * share(most);
        return says_nothing ? widest : most;
    }

    const Quantity& quantity_;
    std::vector<Side> sides_;
    std::vector<std::string> variables_;
    Node formula_;
    Node exact_;
    RoundingModel model_;
    std::vector<Step> steps_;
    std::map<std::string, Number, std::less<>> known_;
};

}  // namespace

Made make_rounding_error(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<RoundingError>(quantity);
}

}  // namespace farfield::recheck
