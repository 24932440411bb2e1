#include "quantity/rotation_error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/rounding.hpp>
#include <farfield/scheme/positions.hpp>

#include "numerics/lanes/lanes.hpp"
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

/// The values of each pair at position 1.
std::vector<Interval> values_at_one(const BoxFunction& function, int pairs) {
    std::vector<Box> boxes;
    boxes.reserve(static_cast<std::size_t>(pairs));
    for (int pair = 0; pair < pairs; ++pair)
        boxes.push_back({{core::Enclosure::exactly(1), core::Enclosure::exactly(pair)}});
    std::vector<Interval> values;
    for (const core::Enclosure& value : function.over(boxes, evaluate::Enclosing::rigorous))
        values.push_back(interval_of(value));
    return values;
}

bool is_finite(const Interval& x) {
    return std::isfinite(x.lo) && std::isfinite(x.hi);
}

/// The enclosure of an error that depends on a number which is not finite, or may not be; infinite if it certainly is
/// not.
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

Interval in_format(const numerics::Format* format, const Interval& value) {
    if (!format || numerics::is_undefined(value)) return value;
    if (const std::optional<double> one = numerics::round_to(*format, value)) return point(*one);
    return {numerics::round_to(*format, value.lo), numerics::round_to(*format, value.hi)};
}

/// The format of a step whose last operation is its only rounding; null for a name alone.
const numerics::Format* format_of(const formula::Node& step) {
    const bool is_rounded = step->kind == formula::Kind::operation && formula::is_rounding(step->op);
    return is_rounded ? numerics::find_format(formula::row(step->op).spelling) : nullptr;
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
    // The law holds where the angle has a value, which must be the case for each pair at all positions.
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

std::optional<core::Diagnostic> values_problem(const scheme::Scheme& scheme, const core::Place& place) {
    if (!scheme.recipe.empty() || !scheme.rotate || !scheme.rotate->values) return std::nullopt;
    return core::Diagnostic{place, "the rotation of scheme '" + scheme.name + "' has 'values' of its own",
                            "a recipe, which states how each step is rounded, or a rotation without 'values'", ""};
}

int turned_pairs(const scheme::Scheme& scheme, const scheme::Context& context) {
    return scheme.rotate ? static_cast<int>(scheme.rotate->columns(context.head_dim) / 2) : 0;
}

RoundedSteps RoundedSteps::all(const numerics::Format& format) {
    return {&format, &format, &format, &format, &format, &format};
}

RoundedSteps RoundedSteps::of(const scheme::Recipe& recipe) {
    RoundedSteps steps;
    steps.positions = format_of(recipe.position);
    steps.frequencies = format_of(recipe.frequency);
    steps.angles = format_of(recipe.angle);
    steps.values = format_of(recipe.value);
    steps.scale = format_of(recipe.scale);
    steps.bias = format_of(recipe.bias);
    if (steps.frequencies) steps.frequency = recipe.frequency;
    steps.is_recurrent = recipe.is_recurrent();
    return steps;
}

ExactRotation::ExactRotation(const scheme::Scheme& scheme, const scheme::Context& context)
    : pairs(turned_pairs(scheme, context)),
      has_bias(scheme.bias.has_value()),
      has_scale(scheme.rotate && scheme.rotate->scale),
      turns(plane("p", "i")),
      positions(plane("q", "k")),
      tokens({Dimension{"p", false, {}, {0, 0}}}),
      angle_formula(scheme::near_angle_formula(scheme, context)),
      angle(angle_formula, turns),
      scale(scheme::scale_formula(scheme, context), turns),
      bias(scheme::bias_formula(scheme, context), positions) {
    is_proportional = pairs > 0 && quantity::is_proportional(angle_formula, pairs);
    if (is_proportional) frequencies = values_at_one(angle, pairs);
    find_far(scheme, context);
}

void ExactRotation::find_far(const scheme::Scheme& scheme, const scheme::Context& context) {
    std::optional<scheme::FarFormulas> formulas = scheme::far_formulas(scheme, context);
    if (!formulas) return;
    const formula::Node frequency = scheme::frequency_of(angle_formula);
    const std::optional<formula::Node> query = scheme::position_of(formulas->query, frequency);
    const std::optional<formula::Node> key = scheme::position_of(formulas->key, frequency);
    const auto is_of_p = [](const std::optional<formula::Node>& position) {
        const std::vector<std::string> names = position ? formula::free_names(*position) : std::vector<std::string>{""};
        return names.empty() || names == std::vector<std::string>{"p"};
    };
    if (!is_proportional || has_scale || !is_of_p(query) || !is_of_p(key))
        throw core::UserError({{{},
                                "the far angles of scheme '" + scheme.name +
                                    "' are not a position times the frequency of its other angles",
                                "'far' with angles such as (p - 100)*theta where 'angle' is p*theta, without 'scale'",
                                ""}});
    const auto function = [&](const formula::Node& position) {
        const bool is_own = formula::equal(position, formula::make_name("p"));
        return is_own ? nullptr : std::make_shared<const BoxFunction>(position, tokens);
    };
    far = Far{std::move(*formulas), *query, *key, function(*query), function(*key)};
}

double ExactRotation::largest_angle(double position) const {
    if (!is_proportional) return infinity;
    double largest = 0;
    for (const Interval& frequency : frequencies) {
        const double bound = (point(position) * numerics::abs(frequency)).hi;
        largest = bound <= largest ? largest : std::isnan(bound) ? infinity : bound;
    }
    return largest;
}

RotationError::RotationError(std::shared_ptr<const ExactRotation> rotation, const RoundedSteps& steps)
    : exact_(std::move(rotation)), steps_(steps) {
    if (exact_->pairs > 0 && steps.frequencies && !exact_->is_proportional)
        throw core::PreconditionError("RotationError", "steps.frequencies", "true", "angles proportional to positions");
    if (exact_->is_proportional && steps.frequencies) compute_frequencies();
}

void RotationError::compute_frequencies() {
    const bool is_plain = !steps_.frequency || (steps_.frequency->kind == formula::Kind::operation &&
                                                formula::equal(steps_.frequency->children[0], formula::make_name("f")));
    if (is_plain) {
        for (const Interval& frequency : exact_->frequencies)
            rounded_frequencies_.push_back(in_format(steps_.frequencies, frequency));
        return;
    }
    const formula::Node f = formula::substitute(exact_->angle_formula, {{"p", formula::make_number("1")}});
    const formula::Node ratio = formula::substitute(f, {{"i", formula::make_number("1")}});
    const BoxFunction computed(formula::substitute(steps_.frequency, {{"f", f}, {"ratio", ratio}}), exact_->turns);
    rounded_frequencies_ = values_at_one(computed, exact_->pairs);
}

double RotationError::rounded_position(double position) const {
    return steps_.positions ? numerics::round_to(*steps_.positions, position) : position;
}

Interval RotationError::angle(double position, int pair) const {
    return exact_->is_proportional ? point(position) * exact_->frequencies[static_cast<std::size_t>(pair)]
                                   : at(exact_->angle, position, pair);
}

Interval RotationError::rounded_angle(double position, int pair) const {
    if (steps_.is_recurrent) return recurrent_angle(position, pair);
    const double p = rounded_position(position);
    const Interval result =
        steps_.frequencies ? point(p) * rounded_frequencies_[static_cast<std::size_t>(pair)] : angle(p, pair);
    return in_format(steps_.angles, result);
}

Interval RotationError::recurrent_angle(double position, int pair) const {
    Interval angle = point(rounded_position(position));
    for (int step = 0; step < pair; ++step) angle = in_format(steps_.angles, angle * rounded_frequencies_.front());
    return angle;
}

Interval RotationError::scale(double position, int pair) const {
    return exact_->has_scale ? at(exact_->scale, position, pair) : point(1);
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
    turn.scale = in_format(steps_.scale, turn.scale);
    turn.reciprocal = in_format(steps_.scale, turn.reciprocal);
    if (!steps_.values) return turn;
    const bool is_sure =
        numerics::round_to(*steps_.values, turn.cosine) && numerics::round_to(*steps_.values, turn.sine);
    if (!is_sure) {
        turn.cosine = numerics::cos(turned);
        turn.sine = numerics::sin(turned);
    }
    turn.cosine = in_format(steps_.values, turn.cosine);
    turn.sine = in_format(steps_.values, turn.sine);
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

bool RotationError::has_value(double query, double key, int pair) const {
    for (const double position : {query, key}) {
        const Turn meant = exact(position, pair);
        const Turn got = rounded(position, pair);
        for (const Interval& number : {meant.cosine, meant.scale, meant.reciprocal, got.scale, got.reciprocal})
            if (numerics::is_undefined(number)) return false;
    }
    return true;
}

bool RotationError::has_bias_value(double query, double key) const {
    if (!exact_->has_bias) return true;
    const Interval got = in_format(steps_.bias, bias(rounded_position(query), rounded_position(key)));
    return !numerics::is_undefined(got) && !numerics::is_undefined(bias(query, key));
}

Interval RotationError::of_pair(double query, double key, int pair) const {
    return between(exact(query, pair), rounded(query, pair), exact(key, pair), rounded(key, pair));
}

Interval RotationError::angle_error(double position, int pair) const {
    const Interval error = rounded_angle(position, pair) - angle(position, pair);
    return is_finite(error) ? error : Interval{-infinity, infinity};
}

/// Whether doubles give the rounded angles at all integers up to `last` without an error: the products of these
/// integers with the pair's rounded frequency are doubles, or, in a recurrence, products of two numbers of at most 24
/// bits.
bool RotationError::has_exact_angles(double last, int pair) const {
    if (!exact_->is_proportional || !steps_.frequencies || !steps_.angles) return false;
    constexpr int double_bits = 53;
    const Interval frequency = rounded_frequencies_[steps_.is_recurrent ? 0 : static_cast<std::size_t>(pair)];
    if (!numerics::is_point(frequency) || !(frequency.lo >= numerics::power_of_two(-900))) return false;
    if (steps_.positions && last > numerics::power_of_two(steps_.positions->mantissa_bits + 1)) return false;
    const int angle_bits = steps_.angles->mantissa_bits + 1, position_bits = std::ilogb(last) + 1;
    if (steps_.is_recurrent && (frequency.lo > 1 || position_bits > angle_bits)) return false;
    const int factor_bits = steps_.is_recurrent ? angle_bits : position_bits;
    return factor_bits + steps_.frequencies->mantissa_bits + 1 <= double_bits &&
           last * std::max(frequency.lo, 1.0) <= numerics::largest_finite(*steps_.angles);
}

/// Each angle times the factor, rounded.
void RotationError::multiply(std::vector<double>& angles, double factor) const {
    const numerics::Format& format = *steps_.angles;
    if (format.name != numerics::known::fp32.name) {
        for (double& angle : angles) angle = numerics::round_to(format, angle * factor);
        return;
    }
    numerics::lane_functions().multiply_to_floats(factor, angles.data(), angles.size());
}

/// The rounded angles at first, first + 1, ..., if has_exact_angles().
void RotationError::find_exact_angles(long long first, int pair, Angles& angles) const {
    if (!steps_.is_recurrent || angles.pair < 0 || angles.pair > pair) {
        const auto start = static_cast<double>(first);
        const auto count = static_cast<int>(angles.values.size());
        for (int i = 0; i < count; ++i) angles.values[static_cast<std::size_t>(i)] = start + i;
        angles.pair = 0;
    }
    if (steps_.is_recurrent)
        for (; angles.pair < pair; ++angles.pair) multiply(angles.values, rounded_frequencies_.front().lo);
    else
        multiply(angles.values, rounded_frequencies_[static_cast<std::size_t>(pair)].lo);
}

std::vector<Interval> RotationError::angle_errors(long long first, long long end, long long block, int pair,
                                                  Angles& previous) const {
    const bool is_exact = has_exact_angles(static_cast<double>(end - 1), pair);
    if (is_exact) {
        previous.values.resize(static_cast<std::size_t>(end - first));
        find_exact_angles(first, pair, previous);
    }
    std::vector<Interval> errors;
    errors.reserve(static_cast<std::size_t>((end - first + block - 1) / block));
    for (long long start = first; start < end; start += block) {
        const long long stop = std::min(start + block, end);
        errors.push_back(is_exact ? errors_of(previous.values.data() + (start - first), start, stop, pair)
                                  : angle_errors_one_by_one(start, stop, pair));
    }
    return errors;
}

Interval RotationError::angle_errors_one_by_one(long long first, long long end, int pair) const {
    Interval all = angle_error(static_cast<double>(first), pair);
    for (long long position = first + 1; position < end; ++position)
        all = numerics::hull(all, angle_error(static_cast<double>(position), pair));
    return all;
}

/// The errors of rounded angles that are doubles, at first, ..., end - 1.
Interval RotationError::errors_of(const double* angles, long long first, long long end, int pair) const {
    const auto count = static_cast<std::size_t>(end - first);
    const Interval frequency = exact_->frequencies[static_cast<std::size_t>(pair)];
    const numerics::Ends ends =
        numerics::lane_functions().differences(angles, static_cast<double>(first), {frequency.lo, frequency.hi}, count);
    // A bound of the roundings of a product and a difference, each half a unit in the last place.
    const double margin =
        numerics::power_of_two(-51) * (angles[count - 1] + static_cast<double>(end - 1) * numerics::abs(frequency).hi) +
        numerics::power_of_two(-900);
    return Interval{ends.low, ends.high} + Interval{-margin, margin};
}

double RotationError::angle_spread(double position, double distance, int pair) const {
    // Such angles may have no value.
    if (!exact_->is_proportional) return infinity;
    if (!steps_.positions && !steps_.frequencies && !steps_.angles) return 0;
    if (!steps_.frequencies) return infinity;
    if (steps_.positions && position > numerics::power_of_two(steps_.positions->mantissa_bits + 1)) return infinity;
    const Interval exact = exact_->frequencies[static_cast<std::size_t>(pair)];
    if (steps_.is_recurrent) {
        // The error of each step is the relative error of the ratio plus that of one rounding of normal numbers.
        if (exact.lo < 4 * numerics::smallest_normal(*steps_.angles)) return infinity;
        const double unit =
            numerics::power_of_two(-std::min(steps_.frequencies->mantissa_bits, steps_.angles->mantissa_bits) - 1);
        const Interval grown = numerics::pow(point(1) + point(unit), point(2.0 * pair));
        return (point(2) * point(position) * exact * (grown - point(1))).hi;
    }
    const Interval got = rounded_frequencies_[static_cast<std::size_t>(pair)];
    const double largest = (point(position) * numerics::abs(got)).hi;
    const double rounding = steps_.angles ? spacing(*steps_.angles, largest) : 0;
    const double spread = (point(distance) * numerics::abs(got - exact) + point(rounding)).hi;
    return std::isfinite(spread) ? spread : infinity;
}

double RotationError::size_error(double position, int pair, bool is_scale_normal) const {
    const auto unit = [](const numerics::Format* format) {
        return format ? numerics::power_of_two(-format->mantissa_bits - 1) : 0;
    };
    const double values = std::sqrt(0.5) * unit(steps_.values);
    double rho = exact_->has_scale ? unit(steps_.scale) : 0;
    if (rho > 0 && !is_scale_normal) {
        const Interval size = scale(position, pair);
        const double least = std::min(size.lo, (point(1) / size).lo);
        if (!(least > 0)) return infinity;
        rho = std::max(rho, numerics::smallest_subnormal(*steps_.scale) / 2 / least);
    }
    // The last term and factor are larger than all roundings of this expression.
    return ((1 + values) * (1 + rho) - 1 + 1e-15) * (1 + 1e-12);
}

Interval RotationError::scales(const core::Enclosure& positions, int pair) const {
    if (!exact_->has_scale) return point(1);
    const Box box{{positions, core::Enclosure::exactly(pair)}};
    return interval_of(exact_->scale.over({box}, evaluate::Enclosing::rigorous).front());
}

RotationError::Worst RotationError::of_rotation(double query, double key) const {
    Worst worst;
    for (int pair = 0; pair < exact_->pairs; ++pair) {
        const Interval error = of_pair(query, key, pair);
        if (error.hi > worst.error.hi) worst.pair = pair;
        worst.error = numerics::max(worst.error, error);
    }
    return worst;
}

Interval RotationError::bias(double query, double key) const {
    return exact_->has_bias ? at(exact_->bias, query, key) : point(0);
}

Interval RotationError::of_bias(double query, double key) const {
    if (!exact_->has_bias) return point(0);
    const Interval got = in_format(steps_.bias, bias(rounded_position(query), rounded_position(key)));
    if (!is_finite(got)) return error_without(got);
    return numerics::abs(got - bias(query, key));
}

}  // namespace farfield::quantity
