#include "recheck/format.hpp"

#include <array>
#include <cmath>
#include <string>

namespace farfield::recheck {
namespace {

Rational two_to(long n) {
    return *power(Rational(2), Rational(n));
}

/// An IEEE format with `bits` bits of significand, whose largest exponent is `highest`.
Format ieee(std::string_view name, long bits, long highest) {
    const Rational largest = (Rational(2) - two_to(1 - bits)) * two_to(highest);
    return {name, bits, 1 - highest, largest, largest + two_to(highest - bits), false};
}

const std::array<Format, 6>& formats() {
    static const std::array<Format, 6> all = {ieee("fp64", 53, 1023), ieee("fp32", 24, 127), ieee("fp16", 11, 15),
                                              ieee("bf16", 8, 127), ieee("e5m2", 3, 15),
                                              // OCP's 8-bit format without infinities: its largest number is 448, and
                                              // 464 is halfway between it and 480, which the format does not have.
                                              Format{"e4m3", 4, -6, Rational(448), Rational(464), true}};
    return all;
}

/// Rounds a finite number to the format's spacing, ties to even; the exponent has no upper bound.
Float nearest(const Format& format, const Float& x) {
    if (x.sign() == 0) return x;
    const long exponent = std::max(arf_abs_bound_lt_2exp_si(x.get()) - 1, format.lowest);
    const long unit = exponent - format.bits + 1;
    Interval scaled = Interval::point(x);
    arf_mul_2exp_si(scaled.lo.get(), x.get(), -unit);
    scaled.hi = scaled.lo;
    Float result = round(scaled).lo;
    arf_mul_2exp_si(result.get(), result.get(), unit);
    return result;
}

Rational exactly(const Float& x) {
    Rational value;
    arf_get_fmpq(value.get(), x.get());
    return value;
}

/// Compared as a float, because exp(1e16) as a fraction does not fit into memory.
bool overflows(const Format& format, const Float& x) {
    const int side = arf_cmpabs(x.get(), enclose(format.overflow).lo.get());
    return format.is_above_overflow ? side > 0 : side >= 0;
}

}  // namespace

const Format& find_format(std::string_view name) {
    if (name == "float") name = "fp32";
    if (name == "double") name = "fp64";
    for (const Format& format : formats())
        if (format.name == name) return format;
    throw Unprovable("the recheck does not support the format '" + std::string(name) + "'");
}

std::optional<Number> rounded(const Format& format, const Number& x) {
    if (x.infinite() != 0) return x;
    const Interval value = x.interval();
    if (x.defined() != Truth::yes || !value.is_bounded()) return std::nullopt;
    const bool low = overflows(format, value.lo);
    const bool high = overflows(format, value.hi);
    if (low != high) return std::nullopt;
    if (low) {
        if (value.lo.sign() != value.hi.sign()) return std::nullopt;
        return format.is_above_overflow ? Number::nowhere() : Number::infinity(value.lo.sign());
    }
    const Float a = nearest(format, value.lo);
    if (!(a == nearest(format, value.hi))) return std::nullopt;
    return Number(exactly(a));
}

Number rounded_between(const Format& format, const Number& x) {
    if (const auto one = rounded(format, x)) return *one;
    const Interval value = x.interval();
    if (x.defined() != Truth::yes || !value.is_bounded() || overflows(format, value.lo) || overflows(format, value.hi))
        return Number::nowhere();
    return Number(Interval{nearest(format, value.lo), nearest(format, value.hi)});
}

Number in_format(const Format& format, const Number& x) {
    if (x.infinite() != 0) return format.is_above_overflow ? Number::nowhere() : x;
    // A proof has no value where rounding overflows.
    if (const auto one = rounded(format, x)) return one->infinite() != 0 ? Number::nowhere() : *one;
    const Interval value = x.interval();
    const bool is_inside = value.is_bounded() && !overflows(format, value.lo) && !overflows(format, value.hi);
    if (!is_inside) return x.defined() == Truth::no ? x : Number::unknown();
    return Number(Interval{nearest(format, value.lo), nearest(format, value.hi)}, x.defined());
}

namespace {

std::optional<Number> step(const Node& tree, const Format& format, const Evaluator::Box& box) {
    if (tree->op == Op::select || is_condition(*tree) || tree->op == Op::sum || tree->op == Op::product ||
        tree->op == Op::clamp)
        return std::nullopt;
    // The operation applied to rounded parts, as a formula of values without names.
    std::vector<Node> parts;
    Evaluator::Box values = box;
    for (std::size_t i = 0; i < tree->parts.size(); ++i) {
        const std::optional<Number> part = step(tree->parts[i], format, box);
        if (!part) return std::nullopt;
        values.emplace_back(" " + std::to_string(i), *part);
        parts.push_back(make(Op::name, values.back().first, {}));
    }
    const Node operation = parts.empty() ? tree : make(tree->op, tree->name, parts);
    Evaluator evaluator;
    return rounded(format, evaluator.value(operation, values));
}

}  // namespace

std::optional<Number> stepwise(const Node& tree, const Format& format, const Evaluator::Box& box) {
    return step(tree, format, box);
}

Truth happens(Event event, const Format& format, const Number& x) {
    if (x.infinite() != 0) return truth_of(event == Event::overflow);
    const Number size = abs(x);
    if (event == Event::overflow) {
        const Number limit(format.overflow);
        return format.is_above_overflow ? less(limit, size) : less_equal(limit, size);
    }
    // Half the smallest number rounds to zero, and half a spacing below the smallest normal number rounds to that
    // number, because both are even.
    const Rational smallest = two_to(format.lowest - format.bits + 1);
    const Number half(smallest / Rational(2));
    const Number zero(Rational(0));
    if (event == Event::underflow) return both(negated(equal(size, zero)), less_equal(size, half));
    const Number normal(two_to(format.lowest) - smallest / Rational(2));
    return both(less(half, size), less(size, normal));
}

}  // namespace farfield::recheck
