#include "recheck/curves.hpp"

namespace farfield::recheck {

Rational Computed::point(long /*index*/) {
    throw Unprovable("a quantity without a series");
}

Number Computed::entry(const std::string& /*column*/, long /*index*/) {
    throw Unprovable("a quantity without a series");
}

Curve::Curve(Side grid, Node formula)
    : grid_(std::move(grid)), formula_(std::move(formula)), values_(static_cast<std::size_t>(grid_.count)) {}

Number Curve::entry(const std::string& column, long index) {
    if (column == grid_.variable) return Number(grid_.at(index));
    if (column != "value") throw Unprovable("the recheck does not compute the column '" + column + "'");
    std::optional<Number>& known = values_.at(static_cast<std::size_t>(index));
    if (!known) known = evaluator_.value(formula_, {{grid_.variable, Number(grid_.at(index))}});
    return *known;
}

Number Curve::extreme(int sign) {
    Number result = entry("value", 0);
    for (long i = 1; i < grid_.count; ++i) {
        const Number here = entry("value", i);
        result = sign > 0 ? max(result, here) : min(result, here);
    }
    return result;
}

/// An interval from the first point at which the curve may be extreme to the first at which it must be.
Number Curve::where_extreme(int sign) {
    const Number best = extreme(sign);
    std::optional<Number> from;
    for (long i = 0; i < grid_.count; ++i) {
        const Number here = entry("value", i);
        const Truth is_less = sign > 0 ? less(here, best) : less(best, here);
        if (is_less == Truth::yes) continue;
        if (!from) from = Number(grid_.at(i));
        bool is_sure = true;
        for (long j = 0; j < grid_.count && is_sure; ++j) {
            const Number other = entry("value", j);
            is_sure = j == i || (sign > 0 ? less_equal(other, here) : less_equal(here, other)) == Truth::yes;
        }
        if (is_sure) return joined(*from, Number(grid_.at(i)));
    }
    return from ? joined(*from, Number(grid_.at(grid_.count - 1))) : Number::nowhere();
}

Number Curve::field(const std::string& name) {
    if (name == "first") return entry("value", 0);
    if (name == "last") return entry("value", grid_.count - 1);
    if (name == "max") return extreme(1);
    if (name == "min") return extreme(-1);
    if (name == "argmax") return where_extreme(1);
    if (name == "argmin") return where_extreme(-1);
    throw Unprovable("the recheck does not compute '" + name + "' of a curve");
}

std::unique_ptr<Curve> own_curve(const Quantity& quantity, const std::string& formula) {
    std::vector<Side> sides = read_sides(quantity);
    if (sides.size() != 1 || !sides.front().is_grid) throw Unprovable("a curve that is not over one grid");
    return std::make_unique<Curve>(sides.front(), quantity.formula(formula));
}

Stretch read_range(const Quantity& quantity, Computed& curve) {
    Stretch range{0, curve.points() - 1};
    const auto limit = [&](const char* key) -> std::optional<Rational> {
        const std::string* text = quantity.fact(key);
        return text ? read_rational(*text) : std::nullopt;
    };
    const auto from = limit("setting.range.from");
    const auto to = limit("setting.range.to");
    while (from && range.first <= range.last && curve.point(range.first) < *from) ++range.first;
    while (to && range.first <= range.last && *to < curve.point(range.last)) --range.last;
    if (range.last < range.first) throw Unprovable("a range without points");
    return range;
}

Source source_of(const Quantity& quantity, Recomputation& all) {
    Source source;
    if (const std::string* of = quantity.fact("setting.of")) {
        source.curve = &all.at(*of);
        const std::vector<Side> sides = read_sides(all.declared(*of));
        if (sides.size() != 1) throw Unprovable("'" + *of + "' is not over one grid");
        source.variable = sides.front().variable;
    } else {
        source.own = own_curve(quantity, "formula");
        source.curve = source.own.get();
        source.variable = source.own->variable();
    }
    source.range = read_range(quantity, *source.curve);
    return source;
}

}  // namespace farfield::recheck
