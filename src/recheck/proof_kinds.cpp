// Proves identities, monotone formulas and extremes again, and recomputes thresholds in number formats.
#include <algorithm>

#include "recheck/format.hpp"
#include "recheck/kinds.hpp"
#include "recheck/proof.hpp"

namespace farfield::recheck {
namespace {

Number verdict(Truth truth) {
    if (truth == Truth::maybe) return Number(Interval::of(0, 1));
    return Number(Rational(truth == Truth::yes ? 1 : 0));
}

/// The point of the evidence ("witness.x"), or of the note "x = 1, y = 2".
std::optional<Point> witness(const Quantity& quantity, const std::vector<Side>& sides) {
    const auto note = quantity.notes.find("largest found at");
    const std::string text = note == quantity.notes.end() ? "" : ", " + note->second + ",";
    Point point;
    for (const Side& side : sides) {
        std::optional<Rational> value;
        if (const std::string* stated = quantity.fact("witness." + side.variable)) value = read_rational(*stated);
        const std::string start = ", " + side.variable + " = ";
        const std::size_t at = text.find(start);
        if (!value && at != std::string::npos) {
            const std::size_t from = at + start.size();
            value = read_rational(text.substr(from, text.find(',', from) - from));
        }
        if (!value) return std::nullopt;
        point.push_back(*value);
    }
    return point;
}

class Identity : public Computed {
public:
    explicit Identity(const Quantity& quantity) : quantity_(quantity) {}

    Number field(const std::string& name) override {
        if (name != "holds") throw Unprovable("the recheck does not compute '" + name + "' of an identity");
        const std::vector<Side> sides = read_sides(quantity_);
        const std::string* tolerance = quantity_.fact("setting.tolerance");
        const Rational bound = tolerance ? read_rational(*tolerance).value_or(Rational(0)) : Rational(0);
        return verdict(within_tolerance(quantity_.formula("left"), quantity_.formula("right"), sides, bound,
                                        witness(quantity_, sides)));
    }

private:
    const Quantity& quantity_;
};

class Monotone : public Computed {
public:
    explicit Monotone(const Quantity& quantity) : quantity_(quantity) {}

    Number field(const std::string& name) override {
        if (name != "holds") throw Unprovable("the recheck does not compute '" + name + "' of 'monotone'");
        const std::vector<Side> sides = read_sides(quantity_);
        if (sides.empty()) throw Unprovable("'monotone' without a domain");
        const std::string* in = quantity_.fact("setting.in");
        const std::string& direction = quantity_.needed("setting.direction");
        const bool rises = direction == "increasing" || direction == "nondecreasing";
        if (!rises && direction != "decreasing" && direction != "nonincreasing")
            throw Unprovable("the direction '" + direction + "'");
        const Direction wanted{rises ? 1 : -1, direction == "increasing" || direction == "decreasing"};
        const auto found = quantity_.values.find("first_counterexample");
        std::optional<Rational> hint;
        if (found != quantity_.values.end() && found->second) hint = of_double(*found->second);
        return verdict(
            is_monotone(quantity_.formula("formula"), sides, in ? *in : sides.front().variable, wanted, hint));
    }

private:
    const Quantity& quantity_;
};

class Extremum : public Computed {
public:
    explicit Extremum(const Quantity& quantity) : quantity_(quantity) {}

    Number field(const std::string& name) override {
        if (name != "min" && name != "max")
            throw Unprovable("the recheck does not compute '" + name + "' of an extremum");
        return extreme(quantity_.formula("formula"), read_sides(quantity_), name == "max" ? 1 : -1);
    }

private:
    const Quantity& quantity_;
};

/// A formula over a grid in a number format.
struct Rounded {
    Side grid;
    Node formula;
    const Format& format;

    explicit Rounded(const Quantity& quantity)
        : grid(the_grid(quantity)),
          formula(quantity.fact("formula") || quantity.fact("setting.formula") ? quantity.formula("formula")
                                                                               : make(Op::name, grid.variable, {})),
          format(find_format(quantity.needed("setting.format"))) {
        const std::string* stepwise = quantity.fact("setting.stepwise");
        if (stepwise && *stepwise == "true") throw Unprovable("a formula whose every operation is rounded");
    }

    static Side the_grid(const Quantity& quantity) {
        const std::vector<Side> sides = read_sides(quantity);
        if (sides.size() != 1 || !sides.front().is_grid) throw Unprovable("not over one grid");
        return sides.front();
    }

    Number at(long index) { return evaluator.value(formula, {{grid.variable, Number(grid.at(index))}}); }

    Evaluator evaluator;
};

class Range : public Computed {
public:
    explicit Range(const Quantity& quantity) : rounded_(quantity) {}

    Number field(const std::string& name) override {
        if (name == "first_overflow") return first(Event::overflow, 0);
        if (name == "last_finite") return first(Event::overflow, -1);
        if (name == "first_underflow") return first(Event::underflow, 0);
        if (name == "last_positive") return first(Event::underflow, -1);
        if (name == "first_subnormal") return first(Event::subnormal, 0);
        throw Unprovable("the recheck does not compute '" + name + "' of a range");
    }

private:
    Number first(Event event, long shift) {
        for (long i = 0; i < rounded_.grid.count; ++i) {
            const Truth truth = happens(event, rounded_.format, rounded_.at(i));
            if (truth == Truth::maybe) throw Unprovable("a rounding that is not decided");
            if (truth == Truth::no) continue;
            return i + shift < 0 ? Number::nowhere() : Number(rounded_.grid.at(i + shift));
        }
        return Number::nowhere();
    }

    Rounded rounded_;
};

class Collision : public Computed {
public:
    explicit Collision(const Quantity& quantity) : rounded_(quantity) {}

    Number field(const std::string& name) override {
        if (name != "first") throw Unprovable("the recheck does not compute '" + name + "' of a collision");
        Number before = rounded_at(0);
        for (long i = 1; i < rounded_.grid.count; ++i) {
            const Number here = rounded_at(i);
            if (is_same(before, here)) return Number(rounded_.grid.at(i - 1));
            before = here;
        }
        return Number::nowhere();
    }

private:
    Number rounded_at(long i) {
        const std::optional<Number> value = rounded(rounded_.format, rounded_.at(i));
        if (!value) throw Unprovable("a rounding that is not decided");
        return *value;
    }

    /// Two overflows are equal if both give the same infinity, or both give NaN.
    static bool is_same(const Number& a, const Number& b) {
        if (!a.exact() || !b.exact()) return !a.exact() && !b.exact() && a.infinite() == b.infinite();
        return *a.exact() == *b.exact();
    }

    Rounded rounded_;
};

}  // namespace

Made make_identity(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Identity>(quantity);
}

Made make_monotone(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Monotone>(quantity);
}

Made make_extremum(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Extremum>(quantity);
}

Made make_range(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Range>(quantity);
}

Made make_collision(const Quantity& quantity, Recomputation& /*all*/) {
    return std::make_unique<Collision>(quantity);
}

}  // namespace farfield::recheck
