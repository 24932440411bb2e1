// The integral of a formula over an interval of the reals.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <farfield/formula/derivative.hpp>
#include <farfield/numerics/interval.hpp>

#include "quantity/box_function.hpp"
#include "quantity/box_search.hpp"
#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using core::Enclosure;
using evaluate::Enclosing;
using numerics::Interval;

constexpr long long integral_boxes = 40'000;
/// Width of the answer, as a share of the integral of magnitudes, at which the search stops.
constexpr double wanted_width = 0x1p-43;
constexpr std::size_t most_halves_at_once = 256;

constexpr std::array<core::Key, 2> integral_keys = {
    core::Key{.name = "over",
              .type = core::KeyType::table,
              .unit = "{ x = [lo, hi] }",
              .meaning = "the variable, and the interval that the formula is integrated over"},
    core::Key{.name = "boxes",
              .type = core::KeyType::integer,
              .fallback = "40000",
              .meaning = "most parts of the interval that are looked at",
              .least = 1,
              .most = 1e9},
};

double largest_of(const Interval& x) {
    return std::max(std::abs(x.lo), std::abs(x.hi));
}

/// The derivative of an order, 0 or more.
formula::Node derivative_of(formula::Node tree, const std::string& variable, int order) {
    for (; order > 0; --order) tree = formula::derivative(tree, variable);
    return tree;
}

/// Encloses the integral over parts of the interval: by the range of the formula, and, where that is analytic, by
/// Simpson's rule with its remainder, -h^5/2880 times the fourth derivative somewhere in the part.
class IntegralOf {
public:
    IntegralOf(const formula::Node& tree, const Domain& domain)
        : domain_(domain),
          variable_(domain.dimensions().front().variable),
          value_(tree, domain),
          fourth_tree_(derivative_of(tree, variable_, 4)),
          fourth_(fourth_tree_, domain,
                  formula::both(formula::regular(tree, formula::Regularity::smooth, {variable_}),
                                formula::defined(fourth_tree_))) {}

    std::vector<Interval> over(const std::vector<Box>& parts) const {
        std::vector<Box> points;
        for (const Box& part : parts) {
            const Interval first = end(part, true), last = end(part, false);
            for (const Interval& at : {first, (first + last) / numerics::point(2), last})
                points.push_back(Box{{Enclosure{at.lo, at.hi}}});
        }
        const std::vector<Enclosure> ranges = value_.over(parts, Enclosing::fast);
        const std::vector<Enclosure> values = value_.over(points, Enclosing::fast);
        const std::vector<Enclosure> fourths = fourth_.over(parts, Enclosing::fast);
        std::vector<Interval> integrals;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const Interval width = end(parts[i], false) - end(parts[i], true);
            const Interval by_range = width * interval_of(ranges[i]);
            const Interval sum = interval_of(values[3 * i]) + numerics::point(4) * interval_of(values[3 * i + 1]) +
                                 interval_of(values[3 * i + 2]);
            const Interval square = width * width;
            const Interval rest = square * square * width / numerics::point(2880) * interval_of(fourths[i]);
            integrals.push_back(narrower(by_range, width * sum / numerics::point(6) - rest));
        }
        return integrals;
    }

private:
    /// An end of a part; that of the whole interval is a decimal between two doubles.
    Interval end(const Box& part, bool is_first) const {
        const Dimension& whole = domain_.dimensions().front();
        const double number = is_first ? part.sides[0].lo : part.sides[0].hi;
        const bool is_outer = number == (is_first ? whole.stretch.lo : whole.stretch.hi);
        if (!is_outer) return numerics::point(number);
        return interval_of(enclosure_of(is_first ? whole.lo : whole.hi));
    }

    static bool is_finite(const Interval& x) { return std::isfinite(x.lo) && std::isfinite(x.hi); }

    /// What both enclosures hold.
    static Interval narrower(const Interval& a, const Interval& b) {
        if (!is_finite(b)) return a;
        if (!is_finite(a)) return b;
        return {std::max(a.lo, b.lo), std::min(a.hi, b.hi)};
    }

    const Domain& domain_;
    std::string variable_;
    BoxFunction value_;
    formula::Node fourth_tree_;
    BoxFunction fourth_;
};

struct PartOfIntegral {
    Box box;
    Interval integral;

    double width() const { return integral.hi - integral.lo; }
};

bool is_narrower(const PartOfIntegral& a, const PartOfIntegral& b) {
    return a.width() < b.width();
}

/// Halves the parts with the widest enclosures.
class IntegralSearch {
public:
    IntegralSearch(const formula::Node& tree, const Domain& domain, std::size_t most)
        : integral_of_(tree, domain), domain_(domain), most_(most) {
        add({domain.whole()});
    }

    Interval run(const std::function<bool()>& interrupted) {
        while (looked_at_ < most_ && !is_done() && !(interrupted && interrupted())) {
            std::vector<Box> halves;
            const double enough = std::max(open_.front().width() / 8, finished() / static_cast<double>(open_.size()));
            while (!open_.empty() && open_.front().width() >= enough && halves.size() < most_halves_at_once)
                cut(halves);
            if (halves.empty()) break;
            add(halves);
        }
        Interval sum = closed_;
        for (const PartOfIntegral& part : open_) sum = sum + part.integral;
        return sum;
    }

private:
    void add(const std::vector<Box>& boxes) {
        const std::vector<Interval> integrals = integral_of_.over(boxes);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            open_.push_back({boxes[i], integrals[i]});
            std::push_heap(open_.begin(), open_.end(), is_narrower);
        }
        looked_at_ += boxes.size();
    }

    /// The widest part makes room for its halves; one that cannot be cut is settled.
    void cut(std::vector<Box>& halves) {
        std::pop_heap(open_.begin(), open_.end(), is_narrower);
        const PartOfIntegral widest = std::move(open_.back());
        open_.pop_back();
        const std::vector<Box> found = domain_.halves(widest.box);
        if (found.empty()) closed_ = closed_ + widest.integral;
        halves.insert(halves.end(), found.begin(), found.end());
    }

    /// The width that is small enough, of all parts together.
    double finished() const {
        double magnitudes = largest_of(closed_);
        for (const PartOfIntegral& part : open_) magnitudes += largest_of(part.integral);
        return std::isfinite(magnitudes) ? wanted_width * magnitudes : 0;
    }

    bool is_done() const {
        double width = closed_.hi - closed_.lo;
        for (const PartOfIntegral& part : open_) width += part.width();
        return open_.empty() || width <= finished();
    }

    IntegralOf integral_of_;
    const Domain& domain_;
    std::size_t most_;
    std::vector<PartOfIntegral> open_;  ///< a heap, the widest first
    Interval closed_{0, 0};
    std::size_t looked_at_ = 0;
};

class Integral : public Prepared {
public:
    Integral(Checked formula, const Over& over, std::size_t boxes)
        : formula_(std::move(formula)), domain_(over), boxes_(boxes) {}

    double cost() const override { return box_search_cost(formula_.tree, boxes_); }

    core::Result run(const Inputs& inputs) const override {
        core::Result result;
        const BoxCondition has_value(formula::defined(formula_.tree), domain_);
        const auto without = find_without_value(has_value, domain_, boxes_, inputs.interrupted);
        core::Cell value = core::Cell::missing();
        if (!without) {
            const Interval found = IntegralSearch(formula_.tree, domain_, boxes_).run(inputs.interrupted);
            if (std::isfinite(found.lo) && std::isfinite(found.hi))
                value = core::Cell::enclosed(numerics::midpoint(found), {found.lo, found.hi});
        }
        result.set("value", value);
        result.notes.emplace_back("method",
                                  "Simpson's rule on parts of the interval, with enclosures of its remainder");
        if (without) result.notes.emplace_back("not decided", describe(*without, domain_));
        return result;
    }

private:
    Checked formula_;
    Domain domain_;
    std::size_t boxes_;
};

std::unique_ptr<Prepared> prepare_integral(const Declaration& declaration, core::Problems& problems) {
    one_of(declaration, {"formula"}, problems);
    const std::optional<Over> over = read_over(declaration, problems);
    if (!over) return nullptr;
    std::optional<Checked> formula =
        read_formula(declaration, {.key = "formula", .variables = over->variables()}, problems);
    if (!over->grids.empty() || over->stretches.size() != 1) {
        problems.add(place_of_key(declaration, "over"), "an integral over other than one interval",
                     "over = { x = [lo, hi] }");
        return nullptr;
    }
    if (!formula) return nullptr;
    const auto boxes = core::read_integer(declaration.settings, "boxes").value_or(integral_boxes);
    return std::make_unique<Integral>(std::move(*formula), *over, static_cast<std::size_t>(boxes));
}

}  // namespace

const Kind& integral_kind() {
    static const Kind kind = {"integral", "the integral of a formula over an interval", integral_keys, true,
                              prepare_integral};
    return kind;
}

}  // namespace farfield::quantity
