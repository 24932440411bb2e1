#include "quantity/enclosed_sample.hpp"

#include <algorithm>
#include <cmath>

#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/statistics.hpp>

#include "quantity/tabulate.hpp"

namespace farfield::quantity {

using numerics::Interval;
using numerics::point;

namespace {

/// The two-sided p of t >= 0 for whole degrees of freedom, by the finite sums of Abramowitz and Stegun 26.7.3
/// and 26.7.4.
Interval tail(const Interval& t, long freedom) {
    const Interval angle = numerics::atan2(t, numerics::sqrt(count(static_cast<std::size_t>(freedom))));
    const Interval cosine = numerics::cos(angle);
    const Interval square = cosine * cosine;
    const bool is_odd = freedom % 2 == 1;
    Interval term = is_odd ? cosine : point(1);
    Interval sum = point(0);
    for (long power = is_odd ? 1 : 0; power <= freedom - 2; power += 2) {
        sum = sum + term;
        term = term * square * point(static_cast<double>(power + 1)) / point(static_cast<double>(power + 2));
    }
    const Interval product = numerics::sin(angle) * sum;
    const Interval inside = is_odd ? point(2) * (angle + product) / numerics::enclose_pi() : product;
    return numerics::clamp(point(1) - inside, point(0), point(1));
}

}  // namespace

EnclosedSample enclosed(const std::vector<Observation>& observations) {
    EnclosedSample sample;
    for (const Observation& each : observations) {
        const core::Cell& cell = each.cell;
        sample.values.push_back(cell.enclosure ? Interval{cell.enclosure->lo, cell.enclosure->hi}
                                               : point(*cell.number));
        sample.rigour = std::min(sample.rigour, cell.rigour);
    }
    return sample;
}

Interval count(std::size_t n) {
    return point(static_cast<double>(n));
}

Interval mean(const std::vector<Interval>& values) {
    Interval sum = point(0);
    for (const Interval& value : values) sum = sum + value;
    return sum / count(values.size());
}

std::vector<Interval> deviations(const std::vector<Interval>& values) {
    const Interval centre = mean(values);
    std::vector<Interval> all;
    all.reserve(values.size());
    for (const Interval& value : values) all.push_back(value - centre);
    return all;
}

int squaring_exponent(const std::vector<Interval>& values) {
    std::vector<double> ends;
    for (const Interval& each : values) ends.insert(ends.end(), {each.lo, each.hi});
    return numerics::squaring_exponent(ends);
}

Interval scaled(const Interval& value, int exponent) {
    if (exponent == 0) return value;
    // In two steps, because 2^1074 is not a double.
    const int half = exponent / 2;
    return value * point(std::ldexp(1.0, -half)) * point(std::ldexp(1.0, half - exponent));
}

std::vector<Interval> scaled(std::vector<Interval> values, int exponent) {
    for (Interval& each : values) each = scaled(each, exponent);
    return values;
}

Interval p_value(const Interval& t, const Interval& freedom) {
    if (numerics::is_undefined(t) || numerics::is_undefined(freedom)) return numerics::undefined_interval();
    constexpr double most_freedom = 1e6;
    const Interval size = numerics::abs(t);
    const double fewest = std::fmax(1, std::fmin(std::floor(freedom.lo), most_freedom));
    const double least =
        freedom.hi <= most_freedom ? tail(point(size.hi), static_cast<long>(std::ceil(freedom.hi))).lo : 0;
    return {least, tail(point(size.lo), static_cast<long>(fewest)).hi};
}

core::Cell statistic_cell(double number, const Interval& interval, core::Rigour rigour) {
    if (rigour == core::Rigour::none || numerics::is_undefined(interval)) return core::Cell::of(number);
    // The number is computed in doubles and may be outside a narrow interval.
    core::Cell made = cell(std::clamp(number, interval.lo, interval.hi), {interval.lo, interval.hi});
    const bool is_computed = rigour == core::Rigour::exact || rigour == core::Rigour::rigorous;
    if (made.enclosure) made.rigour = is_computed ? core::Rigour::rigorous : rigour;
    return made;
}

}  // namespace farfield::quantity
