#include "farfield/numerics/fast/interval_functions.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "farfield/numerics/interval_functions.hpp"
#include "numerics/directed.hpp"
#include "numerics/fast/trusted.hpp"

namespace farfield::numerics::fast {

namespace {

constexpr double quarter_turn = 0x1.921fb54442d18p+0;

using Proven = Interval (*)(const Interval&);

// Encloses a function that never decreases; uses MPFI where the library is not trusted.
template <const TrustedFunction& row, Proven proven>
Interval increasing(const Interval& x) {
    const std::optional<EndValues> ends = values_at_ends<row>(x);
    return ends ? Interval{ends->low.lo, ends->high.hi} : proven(x);
}

// Whether some offset + k period lies in x, or so near to its ends that this is unknown. The rounding errors of the
// quotient and of the constants stay below three units of 2^-53 of the quotient; the margin is eight.
bool may_hold_multiple(const Interval& x, double offset, double period) {
    const double low = (x.lo - offset) / period;
    const double high = (x.hi - offset) / period;
    const double margin = 0x1p-50 * (1 + std::max(std::fabs(low), std::fabs(high)));
    return std::ceil(low - margin) <= std::floor(high + margin);
}

template <const TrustedFunction& row, Proven proven>
Interval wave(const Interval& x, double top) {
    const std::optional<EndValues> ends = values_at_ends<row>(x);
    if (!ends) return proven(x);
    Interval bounds = hull(ends->low, ends->high);
    if (is_point(x)) return bounds;
    if (may_hold_multiple(x, top, 4 * quarter_turn)) bounds.hi = 1;
    if (may_hold_multiple(x, top + 2 * quarter_turn, 4 * quarter_turn)) bounds.lo = -1;
    return bounds;
}

bool is_odd_integer(double x) {
    return std::isfinite(x) && std::fabs(std::fmod(x, 2)) == 1;
}
bool has_zero(const Interval& x) {
    return x.lo <= 0 && x.hi >= 0;
}

// The powers of a nonnegative number at both ends of the exponent.
std::optional<EndValues> powers_of(double base, const Interval& exponent) {
    if (base == 1) return EndValues{point(1), point(1)};
    if (base == 0 && exponent.lo > 0) return EndValues{point(0), point(0)};
    if (is_point(exponent) && exponent.lo == 0) return EndValues{point(1), point(1)};
    if (is_point(exponent) && exponent.lo == 1) return EndValues{point(base), point(base)};
    return values_at_ends<trusted_pow>(base, exponent);
}

// For a nonnegative base, the power is monotone along every edge of the box, so the values at the corners bound it.
std::optional<Interval> positive_power(const Interval& base, const Interval& exponent) {
    const std::optional<EndValues> low = powers_of(base.lo, exponent);
    const std::optional<EndValues> high = is_point(base) ? low : powers_of(base.hi, exponent);
    if (!low || !high) return std::nullopt;
    return hull(hull(low->low, low->high), hull(high->low, high->high));
}

// A power with an odd exponent. It rises if the exponent is positive; if it is negative, there is no value at zero.
std::optional<Interval> odd_power(const Interval& base, const Interval& exponent) {
    if (exponent.lo < 0 && base.hi >= 0) return std::nullopt;
    const std::optional<Interval> low = positive_power(point(-base.lo), exponent);
    const std::optional<Interval> high = positive_power(point(std::fabs(base.hi)), exponent);
    if (!low || !high) return std::nullopt;
    return base.hi < 0 ? hull(-*low, -*high) : Interval{-low->hi, high->hi};
}

// exp(-|x|) at both ends.
std::optional<EndValues> powers_below_one(const Interval& x) {
    return values_at_ends<trusted_exp>({-std::fabs(x.lo), -std::fabs(x.hi)});
}

}  // namespace

// Those of angles are below.
#define FARFIELD_ENCLOSE_rising(stem)                         \
    Interval stem(const Interval& x) {                        \
        return increasing<trusted_##stem, numerics::stem>(x); \
    }
#define FARFIELD_ENCLOSE_angle(stem)
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) FARFIELD_ENCLOSE_##shape(stem)
#include "farfield/numerics/functions.def"
#undef FARFIELD_ENCLOSE_rising
#undef FARFIELD_ENCLOSE_angle

// max(x, 0) + log1p(exp(-|x|)) at each end.
Interval softplus(const Interval& x) {
    const std::optional<EndValues> powers = powers_below_one(x);
    if (!powers) return numerics::softplus(x);
    const std::optional<EndValues> logarithms = values_at_ends<trusted_log1p>({powers->low.lo, powers->high.hi});
    if (!logarithms) return numerics::softplus(x);
    return {add_down(std::max(x.lo, 0.0), logarithms->low.lo), add_up(std::max(x.hi, 0.0), logarithms->high.hi)};
}

// 1/(1 + exp(-|x|)) and exp(-|x|)/(1 + exp(-|x|)) at each end: the first falls as the power grows, the second rises.
Interval sigmoid(const Interval& x) {
    const std::optional<EndValues> powers = powers_below_one(x);
    if (!powers) return numerics::sigmoid(x);
    const double low =
        x.lo >= 0 ? divide_down(1, add_up(1, powers->low.hi)) : divide_down(powers->low.lo, add_up(1, powers->low.lo));
    const double high = x.hi >= 0 ? divide_up(1, add_down(1, powers->high.lo))
                                  : divide_up(powers->high.hi, add_down(1, powers->high.hi));
    return {low, std::min(high, 1.0)};
}

Interval sin(const Interval& x) {
    return wave<trusted_sin, numerics::sin>(x, quarter_turn);
}
Interval cos(const Interval& x) {
    return wave<trusted_cos, numerics::cos>(x, 0);
}

Interval tan(const Interval& x) {
    const std::optional<EndValues> ends = values_at_ends<trusted_tan>(x);
    if (!ends) return numerics::tan(x);
    if (!is_point(x) && may_hold_multiple(x, quarter_turn, 2 * quarter_turn)) return whole_line();
    return {ends->low.lo, ends->high.hi};
}

// If a box does not touch the negative x axis or the origin, its extreme angles are at its corners.
Interval atan2(const Interval& y, const Interval& x) {
    if (is_undefined(y) || is_undefined(x)) return undefined_interval();
    if (has_zero(y) && x.lo <= 0) return numerics::atan2(y, x);
    const auto angles = [&](double height) {
        return height == 0 ? EndValues{point(0), point(0)} : values_at_ends<trusted_atan2>(height, x);
    };
    const std::optional<EndValues> low = angles(y.lo);
    const std::optional<EndValues> high = is_point(y) ? low : angles(y.hi);
    if (!low || !high) return numerics::atan2(y, x);
    const Interval bounds = hull(hull(low->low, low->high), hull(high->low, high->high));
    const double half_turn = step_up(2 * quarter_turn);
    return {std::max(bounds.lo, -half_turn), std::min(bounds.hi, half_turn)};
}

Interval pow(const Interval& base, const Interval& exponent) {
    if (is_undefined(base) || is_undefined(exponent)) return undefined_interval();
    if (is_point(exponent) && exponent.lo == 2) {
        const Interval magnitude = abs(base);
        return magnitude * magnitude;
    }
    std::optional<Interval> bounds;
    if (base.lo >= 0) {
        bounds = positive_power(base, exponent);
    } else if (is_point(exponent) && std::trunc(exponent.lo) == exponent.lo) {
        bounds = is_odd_integer(exponent.lo) ? odd_power(base, exponent) : positive_power(abs(base), exponent);
    }
    return bounds ? *bounds : numerics::pow(base, exponent);
}

}  // namespace farfield::numerics::fast
