#include "quantity/rotation_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/core/error.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/rounding.hpp>

#include "quantity/rounded.hpp"
#include "quantity/tabulate.hpp"

namespace farfield::quantity {
namespace {

using numerics::Interval;
using numerics::point;

using numerics::infinity;

Domain plane(const char* first, const char* second) {
    return Domain({Dimension{first, false, {}, {0, 0}}, Dimension{second, false, {}, {0, 0}}});
}

Interval at(const BoxFunction& function, double first, double second) {
    const Box box{{core::Enclosure::exactly(first), core::Enclosure::exactly(second)}};
    return interval_of(function.over({box}, evaluate::Enclosing::rigorous).front());
}

bool is_finite(const Interval& x) {
    return std::isfinite(x.lo) && std::isfinite(x.hi);
}

/// What is known of an error where one of the numbers it is made of is not finite, or may not be: infinite if it is
/// surely so.
Interval error_without(const Interval& number) {
    const bool is_infinite = numerics::is_point(number) && std::isinf(number.lo);
    return is_infinite ? point(infinity) : Interval{0, infinity};
}

/// conj(u) v as real and imaginary part.
struct Complex {
    Interval real;
    Interval imaginary;
};

Complex product(const RotationError::Turn& query, const RotationError::Turn& key) {
    const Interval factor = query.scale * key.reciprocal;
    return {factor * (query.cosine * key.cosine + query.sine * key.sine),
            factor * (query.cosine * key.sine - query.sine * key.cosine)};
}

Interval square(const Interval& x) {
    const Interval size = numerics::abs(x);
    return size * size;
}

}  // namespace

bool is_proportional(const formula::Node& angle, int pairs) {
    const formula::Node one = formula::substitute(angle, {{"p", formula::make_number("1")}});
    if (!formula::proves_equal(angle, formula::make(formula::Op::multiply, {formula::make_name("p"), one})))
        return false;
    // The law holds where the angle has a value: at each pair, whatever the position.
    const formula::Condition has_value = formula::defined(angle);
    if (has_value.kind != formula::Condition::Kind::depends) return has_value.is_always();
    const std::vector<std::string> names = formula::free_names(has_value.tree);
    if (std::find(names.begin(), names.end(), "p") != names.end()) return false;
    const Domain turns = plane("p", "i");
    const BoxCondition condition(has_value, turns);
    for (int pair = 0; pair < pairs; ++pair)
        if (!condition.holds({{core::Enclosure::exactly(0), core::Enclosure::exactly(pair)}})) return false;
    return true;
}

int turned_pairs(const scheme::Scheme& scheme, const scheme::Context& context) {
    return scheme.rotate ? static_cast<int>(scheme.rotate->fraction * context.head_dim / 2) : 0;
}

RotationError::RotationError(const scheme::Scheme& scheme, const scheme::Context& context,
                             const numerics::Format& format, const RoundedSteps& steps)
    : format_(format),
      steps_(steps),
      pairs_(turned_pairs(scheme, context)),
      has_bias_(scheme.bias.has_value()),
      has_scale_(scheme.rotate && scheme.rotate->scale),
      turns_(plane("p", "i")),
      positions_(plane("q", "k")),
      angle_(scheme::angle_formula(scheme, context), turns_),
      scale_(scheme::scale_formula(scheme, context), turns_),
      bias_(scheme::bias_formula(scheme, context), positions_) {
    is_proportional_ = pairs_ > 0 && is_proportional(scheme::angle_formula(scheme, context), pairs_);
    if (pairs_ > 0 && steps.frequencies && !is_proportional_)
        throw core::PreconditionError("RotationError", "steps.frequencies", "true", "angles proportional to positions");
    for (int pair = 0; is_proportional_ && pair < pairs_; ++pair) {
        frequencies_.push_back(at(angle_, 1, pair));
        rounded_frequencies_.push_back(rounded(frequencies_.back()));
    }
}

double RotationError::rounded_position(double position) const {
    return steps_.positions ? numerics::round_to(format_, position) : position;
}

Interval RotationError::rounded(const Interval& value) const {
    if (numerics::is_undefined(value)) return value;
    if (const std::optional<double> one = numerics::round_to(format_, value)) return point(*one);
    return {numerics::round_to(format_, value.lo), numerics::round_to(format_, value.hi)};
}

Interval RotationError::angle(double position, int pair) const {
    return is_proportional_ ? point(position) * frequencies_[static_cast<std::size_t>(pair)]
                            : at(angle_, position, pair);
}

Interval RotationError::rounded_angle(double position, int pair) const {
    const double p = rounded_position(position);
    const Interval result =
        steps_.frequencies ? point(p) * rounded_frequencies_[static_cast<std::size_t>(pair)] : angle(p, pair);
    return steps_.angles ? rounded(result) : result;
}

Interval RotationError::scale(double position, int pair) const {
    return has_scale_ ? at(scale_, position, pair) : point(1);
}

RotationError::Turn RotationError::exact(double position, int pair) const {
    const Interval turned = angle(position, pair);
    const Interval size = scale(position, pair);
    return {numerics::fast::cos(turned), numerics::fast::sin(turned), size, point(1) / size};
}

RotationError::Turn RotationError::rounded(double position, int pair) const {
    const Interval turned = rounded_angle(position, pair);
    const Interval unknown = numerics::undefined_interval();
    if (!is_finite(turned)) {
        const bool is_infinite = numerics::is_point(turned) && std::isinf(turned.lo);
        const Interval size = is_infinite ? point(infinity) : unknown;
        return {unknown, unknown, size, size};
    }
    const Interval size = scale(rounded_position(position), pair);
    Turn turn{numerics::fast::cos(turned), numerics::fast::sin(turned), size, point(1) / size};
    if (steps_.scale) {
        turn.scale = rounded(turn.scale);
        turn.reciprocal = rounded(turn.reciprocal);
    }
    if (!steps_.values) return turn;
    const bool is_sure = numerics::round_to(format_, turn.cosine) && numerics::round_to(format_, turn.sine);
    if (!is_sure) {
        turn.cosine = numerics::cos(turned);
        turn.sine = numerics::sin(turned);
    }
    turn.cosine = rounded(turn.cosine);
    turn.sine = rounded(turn.sine);
    return turn;
}

Interval RotationError::between(const Turn& exact_query, const Turn& rounded_query, const Turn& exact_key,
                                const Turn& rounded_key) {
    for (const Interval& number : {rounded_query.scale, rounded_key.reciprocal})
        if (!is_finite(number)) return error_without(number);
    const Complex meant = product(exact_query, exact_key);
    const Complex got = product(rounded_query, rounded_key);
    return numerics::sqrt(square(got.real - meant.real) + square(got.imaginary - meant.imaginary));
}

Interval RotationError::of_pair(double query, double key, int pair) const {
    return between(exact(query, pair), rounded(query, pair), exact(key, pair), rounded(key, pair));
}

double RotationError::largest_angle(double position) const {
    if (!is_proportional_) return infinity;
    double largest = 0;
    for (const Interval& frequency : frequencies_) {
        const double bound = (point(position) * numerics::abs(frequency)).hi;
        largest = bound <= largest ? largest : std::isnan(bound) ? infinity : bound;
    }
    return largest;
}

Interval RotationError::angle_error(double position, int pair) const {
    const Interval error = rounded_angle(position, pair) - angle(position, pair);
    return is_finite(error) ? error : Interval{-infinity, infinity};
}

/// Whether the products of the rounded frequency with all integers up to `last` are doubles, and below overflow.
bool RotationError::has_exact_products(double last, int pair) const {
    constexpr int double_bits = 53;
    if (!is_proportional_ || !steps_.frequencies || !steps_.angles) return false;
    const Interval frequency = rounded_frequencies_[static_cast<std::size_t>(pair)];
    const double most = numerics::power_of_two(double_bits - 1 - format_.mantissa_bits);
    const bool are_positions_exact = !steps_.positions || last <= numerics::power_of_two(format_.mantissa_bits + 1);
    return numerics::is_point(frequency) && frequency.lo >= numerics::power_of_two(-900) && last <= most &&
           are_positions_exact && last * frequency.lo <= numerics::largest_finite(format_);
}

Interval RotationError::angle_errors(long long first, long long last, int pair) const {
    if (!has_exact_products(static_cast<double>(last), pair)) {
        Interval all = angle_error(static_cast<double>(first), pair);
        for (long long position = first + 1; position <= last; ++position)
            all = numerics::hull(all, angle_error(static_cast<double>(position), pair));
        return all;
    }
    // delta(p) = (round(p g) - p g) + p (g - f), g the rounded frequency: p g and its rounding error are doubles.
    const numerics::Format format = format_;
    const double frequency = rounded_frequencies_[static_cast<std::size_t>(pair)].lo;
    const Interval drift = point(frequency) - frequencies_[static_cast<std::size_t>(pair)];
    Interval all{infinity, -infinity};
    double largest = 0;
    for (long long position = first; position <= last; ++position) {
        const auto p = static_cast<double>(position);
        const double rounding = numerics::round_to(format, p * frequency) - p * frequency;
        all.lo = std::min(all.lo, rounding + p * drift.lo);
        all.hi = std::max(all.hi, rounding + p * drift.hi);
        largest = std::max(largest, std::fabs(rounding));
    }
    // Over both roundings of a product and a sum, each half a unit of the last place.
    const double size = largest + static_cast<double>(last) * numerics::abs(drift).hi;
    const double margin = numerics::power_of_two(-51) * size + numerics::power_of_two(-900);
    return all + Interval{-margin, margin};
}

double RotationError::angle_spread(double position, int pair) const {
    if (!is_proportional_ || !steps_.frequencies || rounded_position(position) != position) return infinity;
    const Interval exact = frequencies_[static_cast<std::size_t>(pair)];
    const Interval got = rounded_frequencies_[static_cast<std::size_t>(pair)];
    const double largest = (point(position) * numerics::abs(got)).hi;
    const double rounding = steps_.angles ? spacing(format_, largest) : 0;
    const double spread = (point(position) * numerics::abs(got - exact) + point(rounding)).hi;
    return std::isfinite(spread) ? spread : infinity;
}

double RotationError::size_error(double position, int pair, bool is_scale_normal) const {
    const double unit = numerics::power_of_two(-format_.mantissa_bits - 1);
    const double values = steps_.values ? std::sqrt(0.5) * unit : 0;
    double rho = steps_.scale && has_scale_ ? unit : 0;
    if (rho > 0 && !is_scale_normal) {
        const Interval size = scale(position, pair);
        const double least = std::min(size.lo, (point(1) / size).lo);
        if (!(least > 0)) return infinity;
        rho = std::max(rho, numerics::smallest_subnormal(format_) / 2 / least);
    }
    // What is added and multiplied last is over all roundings of this line.
    return ((1 + values) * (1 + rho) - 1 + 1e-15) * (1 + 1e-12);
}

Interval RotationError::scales(const core::Enclosure& positions, int pair) const {
    if (!has_scale_) return point(1);
    const Box box{{positions, core::Enclosure::exactly(pair)}};
    return interval_of(scale_.over({box}, evaluate::Enclosing::rigorous).front());
}

RotationError::Worst RotationError::of_rotation(double query, double key) const {
    Worst worst;
    for (int pair = 0; pair < pairs_; ++pair) {
        const Interval error = of_pair(query, key, pair);
        if (error.hi > worst.error.hi) worst.pair = pair;
        worst.error = numerics::max(worst.error, error);
    }
    return worst;
}

Interval RotationError::bias(double query, double key) const {
    return has_bias_ ? at(bias_, query, key) : point(0);
}

Interval RotationError::of_bias(double query, double key) const {
    if (!has_bias_) return point(0);
    Interval got = bias(rounded_position(query), rounded_position(key));
    if (steps_.bias) got = rounded(got);
    if (!is_finite(got)) return error_without(got);
    return numerics::abs(got - bias(query, key));
}

}  // namespace farfield::quantity
