#include "farfield/numerics/fast/interval_functions.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "numerics/directed.hpp"

namespace farfield::numerics::fast {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quarter_turn = 0x1.921fb54442d18p+0;

// Units in the last place allowed for one library function, and for two composed.
constexpr std::int64_t single = 4;
constexpr std::int64_t composed = 8;

// Doubles in order as integers: equal distances are equal numbers of doubles between.
std::int64_t rank(double x) {
    const auto bits = std::bit_cast<std::int64_t>(x);
    return bits >= 0 ? bits : std::numeric_limits<std::int64_t>::min() - bits;
}

double from_rank(std::int64_t rank) {
    return std::bit_cast<double>(rank >= 0 ? rank : std::numeric_limits<std::int64_t>::min() - rank);
}

double lowered(double x, std::int64_t steps) {
    return from_rank(std::max(rank(x) - steps, rank(-infinity)));
}
double raised(double x, std::int64_t steps) {
    return -lowered(-x, steps);
}

// A zero result of these functions is exact: the argument was the function's zero.
double lowered_unless_zero(double x) {
    return x == 0 ? x : lowered(x, single);
}
double raised_unless_zero(double x) {
    return x == 0 ? x : raised(x, single);
}

using Function = double (*)(double);

// A function that never decreases and is zero only where its library version is exact.
Interval increasing(Function function, const Interval& x, const Interval& range) {
    const double low = function(x.lo);
    const double high = function(x.hi);
    if (std::isnan(low) || std::isnan(high)) return undefined_interval();
    return {std::max(lowered_unless_zero(low), range.lo), std::min(raised_unless_zero(high), range.hi)};
}

// A positive function that never decreases, whose zero results are underflows.
Interval increasing_positive(Function function, const Interval& x, double upper, std::int64_t steps) {
    if (is_undefined(x)) return undefined_interval();
    return {std::max(lowered(function(x.lo), steps), 0.0), std::min(raised(function(x.hi), steps), upper)};
}

// Whether some offset + k period lies in x, or too near to its ends to tell. The quotient's rounding errors, and those
// of the constants, stay below three units of 2^-53 of it; the margin is eight.
bool may_hold_multiple(const Interval& x, double offset, double period) {
    const double low = (x.lo - offset) / period;
    const double high = (x.hi - offset) / period;
    const double margin = 0x1p-50 * (1 + std::max(std::fabs(low), std::fabs(high)));
    return std::ceil(low - margin) <= std::floor(high + margin);
}

Interval wave(Function function, const Interval& x, double top) {
    if (is_undefined(x) || std::isinf(x.lo) || std::isinf(x.hi)) return undefined_interval();
    const double first = function(x.lo);
    const double second = function(x.hi);
    Interval bounds{std::max(lowered_unless_zero(std::min(first, second)), -1.0),
                    std::min(raised_unless_zero(std::max(first, second)), 1.0)};
    if (is_point(x)) return bounds;
    if (may_hold_multiple(x, top, 4 * quarter_turn)) bounds.hi = 1;
    if (may_hold_multiple(x, top + 2 * quarter_turn, 4 * quarter_turn)) bounds.lo = -1;
    return bounds;
}

using BinaryFunction = double (*)(double, double);

// Bounds of a function that is monotone along every edge of the box; `exact` says which corners need no widening.
template <class Exact>
Interval corner_bounds(BinaryFunction function, const Interval& a, const Interval& b, Exact exact) {
    Interval bounds{infinity, -infinity};
    for (const double left : {a.lo, a.hi}) {
        for (const double right : {b.lo, b.hi}) {
            const double value = function(left, right);
            const std::int64_t steps = exact(left, right) ? 0 : single;
            bounds = {std::min(bounds.lo, lowered(value, steps)), std::max(bounds.hi, raised(value, steps))};
        }
    }
    return bounds;
}

bool is_exact_power(double base, double exponent) {
    return base == 0 || base == 1 || exponent == 0 || exponent == 1 || std::isinf(base) || std::isinf(exponent);
}

bool is_integer(double x) {
    return std::trunc(x) == x;
}
bool is_odd_integer(double x) {
    return std::isfinite(x) && std::fabs(std::fmod(x, 2)) == 1;
}
bool has_zero(const Interval& x) {
    return x.lo <= 0 && x.hi >= 0;
}

Interval positive_power(const Interval& base, const Interval& exponent) {
    const Interval bounds =
        corner_bounds([](double x, double y) { return std::pow(x, y); }, base, exponent, is_exact_power);
    return {std::max(bounds.lo, 0.0), bounds.hi};
}

Interval power_of_signed(const Interval& base, const Interval& exponent) {
    const double y = exponent.lo;
    if (!is_point(exponent) || !is_integer(y)) return undefined_interval();
    if (!is_odd_integer(y)) return positive_power(abs(base), exponent);
    if (y < 0 && has_zero(base)) return whole_line();
    return corner_bounds([](double x, double p) { return std::pow(x, p); }, base, exponent, is_exact_power);
}

double softplus_of(double x) {
    return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

double sigmoid_of(double x) {
    const double power = std::exp(-std::fabs(x));
    return (x >= 0 ? 1 : power) / (1 + power);
}

}  // namespace

Interval exp(const Interval& x) {
    const Interval bounds = increasing_positive([](double v) { return std::exp(v); }, x, infinity, single);
    return {x.lo == 0 ? 1 : bounds.lo, x.hi == 0 ? 1 : bounds.hi};
}

Interval expm1(const Interval& x) {
    return increasing([](double v) { return std::expm1(v); }, x, {-1, infinity});
}
Interval log(const Interval& x) {
    return increasing([](double v) { return std::log(v); }, x, whole_line());
}
Interval log1p(const Interval& x) {
    return increasing([](double v) { return std::log1p(v); }, x, whole_line());
}
Interval log2(const Interval& x) {
    return increasing([](double v) { return std::log2(v); }, x, whole_line());
}
Interval tanh(const Interval& x) {
    return increasing([](double v) { return std::tanh(v); }, x, {-1, 1});
}
Interval erf(const Interval& x) {
    return increasing([](double v) { return std::erf(v); }, x, {-1, 1});
}
Interval softplus(const Interval& x) {
    return increasing_positive(softplus_of, x, infinity, composed);
}
Interval sigmoid(const Interval& x) {
    return increasing_positive(sigmoid_of, x, 1, composed);
}

Interval sin(const Interval& x) {
    return wave([](double v) { return std::sin(v); }, x, quarter_turn);
}

Interval cos(const Interval& x) {
    if (x.lo == 0 && x.hi == 0) return point(1);
    return wave([](double v) { return std::cos(v); }, x, 0);
}

Interval tan(const Interval& x) {
    if (is_undefined(x) || std::isinf(x.lo) || std::isinf(x.hi)) return undefined_interval();
    if (!is_point(x) && may_hold_multiple(x, quarter_turn, 2 * quarter_turn)) return whole_line();
    return increasing([](double v) { return std::tan(v); }, x, whole_line());
}

Interval atan2(const Interval& y, const Interval& x) {
    if (is_undefined(y) || is_undefined(x)) return undefined_interval();
    const double half_turn = step_up(2 * quarter_turn);
    if (has_zero(y) && x.lo <= 0) return {-half_turn, half_turn};
    const Interval bounds = corner_bounds([](double v, double w) { return std::atan2(v, w); }, y, x,
                                          [](double v, double) { return v == 0; });
    return {std::max(bounds.lo, -half_turn), std::min(bounds.hi, half_turn)};
}

Interval pow(const Interval& base, const Interval& exponent) {
    if (is_undefined(base) || is_undefined(exponent)) return undefined_interval();
    if (is_point(exponent) && exponent.lo == 2) {
        const Interval magnitude = abs(base);
        return magnitude * magnitude;
    }
    if (base.lo < 0) return power_of_signed(base, exponent);
    const bool even = is_point(exponent) && !is_odd_integer(exponent.lo);
    if (has_zero(base) && exponent.lo < 0 && !even) return whole_line();
    return positive_power(base, exponent);
}

}  // namespace farfield::numerics::fast
