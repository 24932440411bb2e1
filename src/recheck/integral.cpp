// Recomputes integrals: the midpoint rule on parts of the interval, with an enclosure of its remainder.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"

namespace farfield::recheck {
namespace {

constexpr std::size_t most_parts_of_integral = 20'000;
constexpr std::size_t most_parts_within = 2'000;  // of an integral inside a formula
constexpr std::size_t most_parts_within_another = 256;
constexpr std::size_t most_parts_of_all = 100'000;  // of all integrals in one proof
constexpr std::size_t fewest_parts = 16;
constexpr std::size_t fewest_infinite_parts = 256;
constexpr double least_progress = 0.9;
constexpr double wanted_width = 1e-14;  // of the integral of magnitudes

class Search {
public:
    Search(const Node& formula, const Side& side, std::size_t most, Evaluator evaluator = Evaluator({}, true),
           Evaluator::Box around = {})
        : formula_(formula), side_(side), most_(most), evaluator_(std::move(evaluator)), around_(std::move(around)) {}

    Interval run() {
        std::vector<Part> parts;
        parts.push_back(part(side_.from, side_.to));
        // If the enclosures do not become narrower on smaller parts, halving has no effect.
        for (double width = width_of(parts); parts.size() < most_ && has_time() && halve(parts);) {
            const double now = width_of(parts);
            const bool is_finite = std::isfinite(now);
            if (parts.size() >= (is_finite ? fewest_parts : fewest_infinite_parts) && !(now < least_progress * width))
                break;
            width = now;
        }
        Interval sum = Interval::point(Float());
        for (const Part& each : parts) sum = sum + each.integral;
        return sum;
    }

    std::size_t looked_at() const { return looked_at_; }

private:
    struct Part {
        Rational from;
        Rational to;
        Interval integral;

        double width() const { return integral.hi.up() - integral.lo.down(); }
        double magnitude() const { return std::max(std::abs(integral.lo.down()), std::abs(integral.hi.up())); }
        bool operator<(const Part& other) const { return width() < other.width(); }
    };

    /// Halving all parts needs up to twice as many parts of nested integrals as before.
    bool has_time() const { return evaluator_.parts_of_integrals() < most_parts_of_all / 4; }

    static double width_of(const std::vector<Part>& parts) {
        double sum = 0;
        for (const Part& each : parts) sum += each.width();
        return sum;
    }

    /// Encloses h f(m) + h^3/24 times f'' somewhere in the part, or h times a value somewhere in it.
    Part part(const Rational& from, const Rational& to) {
        ++looked_at_;
        const Interval width = enclose(to - from);
        const Interval all{enclose(from).lo, enclose(to).hi};
        const Jet jet = evaluator_.jet(formula_, at(Number(all)), side_.variable);
        if (jet.value.defined() != Truth::yes) return {from, to, Interval::line()};
        Interval integral = width * jet.value.interval();
        if (jet.is_smooth) {
            const Number middle((from + to) / Rational(2));
            const Interval value = evaluator_.value(formula_, at(middle)).interval();
            const Interval rest = width * width * width * jet.second / Interval::of(24, 24);
            integral = common(integral, width * value + rest);
        }
        return {from, to, integral};
    }

    Evaluator::Box at(const Number& number) const {
        Evaluator::Box box = around_;
        box.emplace_back(side_.variable, number);
        return box;
    }

    /// Halves the parts that are wider than their share; false if there is none.
    bool halve(std::vector<Part>& parts) {
        double magnitude = 0;
        for (const Part& each : parts) magnitude += each.magnitude();
        const double share =
            std::isfinite(magnitude) ? wanted_width * magnitude / static_cast<double>(parts.size()) : 0;
        std::sort(parts.rbegin(), parts.rend());
        std::vector<Part> halves;
        std::size_t wide = 0;
        while (wide < parts.size() && parts[wide].width() > share && wide + parts.size() < most_) {
            const Part& whole = parts[wide++];
            const Rational cut = (whole.from + whole.to) / Rational(2);
            halves.push_back(part(whole.from, cut));
            halves.push_back(part(cut, whole.to));
        }
        parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(wide));
        parts.insert(parts.end(), halves.begin(), halves.end());
        return wide > 0;
    }

    const Node& formula_;
    const Side& side_;
    std::size_t most_;
    Evaluator evaluator_;
    std::size_t looked_at_ = 0;
    Evaluator::Box around_;  ///< the values of the other names of the formula
};

/// A rational number in or near an interval with finite ends.
Rational near(const Number& number) {
    if (number.exact()) return *number.exact();
    const Interval x = number.interval();
    const Float middle(x.lo.down() / 2 + x.hi.up() / 2);
    Rational result;
    arf_get_fmpq(result.get(), middle.get());
    return result;
}

class Integral : public Computed {
public:
    explicit Integral(const Quantity& quantity) : quantity_(quantity) {}

    Number field(const std::string& name) override {
        if (name != "value") throw Unprovable("the recheck does not compute '" + name + "' of an integral");
        const std::vector<Side> sides = read_sides(quantity_);
        if (sides.size() != 1 || sides.front().is_grid) throw Unprovable("an integral over other than one interval");
        return Number(integral(quantity_.formula("formula"), sides.front(), most_parts_of_integral));
    }

private:
    const Quantity& quantity_;
};

}  // namespace

Interval integral(const Node& formula, const Side& side, std::size_t most) {
    return Search(formula, side, most).run();
}

Number Evaluator::integral(const Tree& node) {
    const Number from = value(node.parts[0]);
    const Number to = value(node.parts[1]);
    const bool have_values = from.defined() == Truth::yes && to.defined() == Truth::yes;
    if (!have_values || !from.interval().is_bounded() || !to.interval().is_bounded()) return Number::unknown();
    const Rational first = near(from);
    const Rational last = near(to);
    const bool is_backward = last < first;
    Side side;
    side.variable = node.name;
    side.from = is_backward ? last : first;
    side.to = is_backward ? first : last;
    // The innermost name is found first.
    Box around(bound_.rbegin(), bound_.rend());
    around.insert(around.end(), variables_.begin(), variables_.end());
    std::erase_if(around, [&](const auto& entry) { return entry.first == node.name; });
    const std::size_t most = is_within_integral_ ? most_parts_within_another : most_parts_within;
    Search search(node.parts[2], side, most, Evaluator(lookup_, true), around);
    const Interval found = search.run();
    parts_of_integrals_ += search.looked_at();
    if (parts_of_integrals_ > most_parts_of_all)
        throw Unprovable("integrals of more than " + std::to_string(most_parts_of_all) + " parts");
    // The integral between a rational number and the bound near it.
    const auto rest = [&](const Rational& number, const Number& bound) {
        if (bound.exact()) return Interval::point(Float());
        const Interval all = hull(enclose(number), bound.interval());
        bound_.emplace_back(node.name, Number(all));
        const Number body = value(node.parts[2]);
        bound_.pop_back();
        return body.defined() == Truth::yes ? (bound.interval() - enclose(number)) * body.interval() : Interval::line();
    };
    const Interval sum = (is_backward ? -found : found) + rest(last, to) - rest(first, from);
    return sum.is_bounded() ? Number(sum) : Number::unknown();
}

Made make_integral(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Integral>(quantity);
}

}  // namespace farfield::recheck
