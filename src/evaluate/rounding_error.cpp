#include <farfield/evaluate/rounding_error.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include <farfield/formula/printer.hpp>
#include <farfield/numerics/interval.hpp>

#include "evaluate/local_slopes.hpp"
#include "evaluate/tape.hpp"
#include "evaluate/tape_at_point.hpp"
#include "numerics/directed.hpp"

namespace farfield::evaluate {
namespace {

using core::Enclosure;
using formula::Op;
using numerics::Format;
using numerics::Interval;
using numerics::Truth;

using numerics::infinity;

using Fast = EnclosureArithmetic<FastIntervals>;

double magnitude(const Interval& x) {
    return numerics::is_undefined(x) ? infinity : std::max(std::fabs(x.lo), std::fabs(x.hi));
}

double least_magnitude(const Interval& x) {
    if (numerics::is_undefined(x) || (x.lo <= 0 && x.hi >= 0)) return 0;
    return std::min(std::fabs(x.lo), std::fabs(x.hi));
}

Interval around_zero(double radius) {
    return {-radius, radius};
}

/// 2^e, also as a subnormal double; for smaller e, the smallest double.
double two_to(int e) {
    return std::max(std::ldexp(1.0, e), std::numeric_limits<double>::denorm_min());
}

bool is_power_of_two(double x) {
    int exponent = 0;
    return x != 0 && std::isfinite(x) && std::fabs(std::frexp(x, &exponent)) == 0.5;
}

/// The largest error of rounding a real number of at most this magnitude.
double half_unit(const Format& format, double magnitude) {
    if (magnitude == 0) return 0;
    if (!(magnitude <= numerics::largest_finite(format))) return infinity;
    // A power of two is itself a number of the format, so the spacing below it applies.
    int exponent = 0;
    const double fraction = std::frexp(magnitude, &exponent);
    const int below = fraction == 0.5 ? exponent - 2 : exponent - 1;
    return two_to(std::max(below, numerics::lowest_exponent(format)) - format.mantissa_bits - 1);
}

/// The largest error of rounding a number of one format, of at most this magnitude, to another.
double half_unit(const Format& format, double magnitude, const Format& from) {
    if (from.mantissa_bits > format.mantissa_bits) return half_unit(format, magnitude);
    const auto last = [](const Format& of) { return numerics::lowest_exponent(of) - of.mantissa_bits; };
    // Only a number below the normal numbers of the format may have digits that the format lacks.
    return last(from) >= last(format) ? 0 : half_unit(format, numerics::smallest_normal(format));
}

/// Operators whose result is an argument, its opposite or an integer, and therefore a number of the format.
bool is_exact(Op op) {
    switch (op) {
        case Op::negate:
        case Op::absolute:
        case Op::minimum:
        case Op::maximum:
        case Op::clamp:
        case Op::select:
        case Op::floor:
        case Op::ceiling:
        case Op::round:
        case Op::sign: return true;
        default: return false;
    }
}

}  // namespace

struct RoundingError::State {
    /// The values, errors and slopes of each operation over a box.
    struct Values {
        TapeValues<Fast> at;                          ///< computed and exact values
        std::vector<double> added;                    ///< the most that rounding adds to each
        std::vector<std::array<Interval, 3>> slopes;  ///< by each argument
        std::vector<std::array<bool, 3>> has_slope;   ///< not zero
        std::vector<Interval> weights;                ///< derivative of the result by an addition to each
        std::vector<std::uint8_t> may_err;            ///< whether rounding can have changed it
        std::vector<std::uint8_t> is_number;          ///< of the format
        bool has_slopes = true;                       ///< the formula is Lipschitz-continuous on the box
    };

    RoundingModel model;
    Tape tape;
    SlopesOfOperators slopes;
    Fast arithmetic;
    std::vector<Interval> constants;     ///< the values of literals and constants in the formula
    std::vector<double> constant_added;  ///< what rounding them adds
    std::vector<std::uint8_t> depends;   ///< on an input
    Values whole;
    Values middle;

    State(const RoundingModel& rounding, Tape operations) : model(rounding), tape(std::move(operations)) {
        const std::size_t count = tape.operations().size();
        constants.resize(count);
        constant_added.resize(count);
        depends.resize(count);
        for (std::size_t i = 0; i < count; ++i) prepare(i);
        for (Values* values : {&whole, &middle}) {
            values->at.reals.assign(count, numerics::undefined_interval());
            values->at.booleans.assign(count, Truth::unknown);
            values->added.assign(count, 0);
            values->slopes.resize(count);
            values->has_slope.resize(count);
            values->weights.resize(count);
            values->may_err.resize(count);
            values->is_number.resize(count);
        }
    }

    void prepare(std::size_t i) {
        const Operation& operation = tape.operations()[i];
        depends[i] = operation.kind == Operation::Kind::input;
        for (std::size_t a = 0; a < operation.arity; ++a) depends[i] |= depends[operation.arguments[a]];
        if (operation.kind != Operation::Kind::literal && operation.kind != Operation::Kind::constant) return;
        const numerics::MpfiValue exact = constant_of(operation);
        const Interval near = exact.to_interval();
        constants[i] = near;
        if (!model.format) return;
        const double rounded = nearest_in(*model.format, exact.lower());
        // A result that uses an overflowing literal is unknown.
        if (!std::isfinite(rounded)) return void(constant_added[i] = infinity);
        if (!model.rounds_inputs) {
            constants[i] = numerics::point(rounded);
            return;
        }
        const numerics::MpfiValue lost = exact - numerics::MpfiValue(rounded, bits_at_point);
        constant_added[i] = magnitude(lost.to_interval());
    }

    /// Computes values, rounding errors and slopes. With `fixed`, the rounding errors are known already, from a box
    /// that contains this one.
    void forward(std::span<const Enclosure> box, Values& values, const std::vector<double>* fixed) {
        values.has_slopes = true;
        for (std::size_t i = 0; i <= tape.root(); ++i) {
            const Operation& operation = tape.operations()[i];
            values.has_slope[i] = {};
            if (operation.kind == Operation::Kind::operation) {
                apply(i, values);
            } else {
                leaf(i, box, values);
            }
            if (operation.is_boolean) continue;
            const double added = fixed ? (*fixed)[i] : values.added[i];
            if (added > 0) values.at.reals[i] = values.at.reals[i] + around_zero(added);
        }
    }

    void leaf(std::size_t i, std::span<const Enclosure> box, Values& values) {
        const Operation& operation = tape.operations()[i];
        Interval& value = values.at.reals[i];
        if (operation.kind == Operation::Kind::input) {
            value = {box[operation.input].lo, box[operation.input].hi};
            values.added[i] = model.format && model.rounds_inputs ? half_unit(*model.format, magnitude(value)) : 0;
        } else {
            value = constants[i];
            values.added[i] = constant_added[i];
        }
        values.may_err[i] = values.added[i] > 0;
        values.is_number[i] = model.format.has_value();
    }

    void apply(std::size_t i, Values& values) {
        const Operation& operation = tape.operations()[i];
        bool argument_may_err = false;
        for (std::size_t a = 0; a < operation.arity; ++a)
            argument_may_err = argument_may_err || values.may_err[operation.arguments[a]] != 0;
        values.may_err[i] = argument_may_err;
        values.added[i] = 0;
        evaluate::apply(arithmetic, operation.op, TapeOperands<Fast>{operation, values.at, i});
        if (operation.is_boolean) return;
        Interval& value = values.at.reals[i];
        if (operation.op == Op::multiply && operation.arguments[0] == operation.arguments[1])
            value = numerics::abs(argument(operation, 0, values)) * numerics::abs(argument(operation, 0, values));
        const std::optional<Format> to = format_of(operation.op);
        double added = 0;
        if (to) {
            // A rounding operator returns its argument plus its rounding error.
            value = argument(operation, 0, values);
            set_slope(i, 0, numerics::point(1), values);
        } else if (operation.op == Op::select) {
            added = select(i, values);
        } else if (!find_slopes(i, values)) {
            // The operator may jump, so its whole change counts as added.
            values.has_slopes = values.has_slopes && depends[i] == 0;
            added = argument_may_err ? numerics::width(value) : 0;
            if (std::isnan(added)) added = infinity;
        }
        if (to) added = rounding_to(*to, i, values);
        if (!to && model.format) added = numerics::add_up(added, rounding(i, values));
        values.added[i] = added;
        values.may_err[i] = argument_may_err || added > 0;
        values.is_number[i] = model.format.has_value() || to.has_value();
    }

    static const Interval& argument(const Operation& operation, std::size_t a, const Values& values) {
        return values.at.reals[operation.arguments[a]];
    }

    static void set_slope(std::size_t i, std::size_t a, const Interval& slope, Values& values) {
        values.slopes[i][a] = slope;
        values.has_slope[i][a] = true;
    }

    /// Uses the selected branch, or both if the condition is undecided. Returns what a change of branch adds.
    double select(std::size_t i, Values& values) {
        const Operation& operation = tape.operations()[i];
        const std::uint32_t condition = operation.arguments[0];
        const Truth truth = values.at.booleans[condition];
        if (truth != Truth::no) set_slope(i, 1, numerics::point(1), values);
        if (truth != Truth::yes) set_slope(i, 2, numerics::point(1), values);
        if (truth != Truth::unknown) return 0;
        for (const std::size_t branch : {1, 2}) values.slopes[i][branch] = {0, 1};
        values.has_slopes = values.has_slopes && depends[condition] == 0;
        if (values.may_err[condition] == 0) return 0;
        return magnitude(argument(operation, 1, values) - argument(operation, 2, values));
    }

    /// False if the operator is not proved to be Lipschitz-continuous over its arguments.
    bool find_slopes(std::size_t i, Values& values) {
        const Operation& operation = tape.operations()[i];
        LocalSlopes& local = slopes.of(operation.op, operation.arity);
        const std::array<Interval, 3> arguments = arguments_of(operation, values);
        if (!local.lipschitz.holds(arguments)) return false;
        for (std::size_t a = 0; a < operation.arity; ++a)
            if (!local.first[a].is_zero()) set_slope(i, a, local.first[a].real(arguments), values);
        return true;
    }

    static std::array<Interval, 3> arguments_of(const Operation& operation, const Values& values) {
        std::array<Interval, 3> arguments{};
        for (std::size_t a = 0; a < operation.arity; ++a) arguments[a] = argument(operation, a, values);
        return arguments;
    }

    /// The error that an operator adds which rounds to its own format, plus the rounding of its result.
    double rounding_to(const Format& to, std::size_t i, const Values& values) const {
        const double most = magnitude(values.at.reals[i]);
        if (!model.format) return half_unit(to, most);
        const double rounded = numerics::round_to(to, most);
        if (!(rounded <= numerics::largest_finite(*model.format))) return infinity;
        const bool is_number = values.is_number[tape.operations()[i].arguments[0]] != 0;
        const double added = is_number ? half_unit(to, most, *model.format) : half_unit(to, most);
        return added == 0 ? 0 : numerics::add_up(added, half_unit(*model.format, rounded, to));
    }

    /// The most that rounding the result adds.
    double rounding(std::size_t i, const Values& values) const {
        const Operation& operation = tape.operations()[i];
        const Interval& value = values.at.reals[i];
        const Format& format = *model.format;
        if (!(magnitude(value) <= numerics::largest_finite(format))) return infinity;
        if (is_exact(operation.op)) return 0;
        const bool is_sum = operation.op == Op::add || operation.op == Op::subtract;
        if (is_sum && is_exact_sum(operation, values)) return 0;
        if (operation.op == Op::multiply || operation.op == Op::divide) {
            if (const auto added = scaling(operation, values)) return *added;
        }
        return half_unit(format, magnitude(value));
    }

    /// Whether one term is zero, or the difference is of two numbers of the format within a factor of two (Sterbenz).
    static bool is_exact_sum(const Operation& operation, const Values& values) {
        const Interval a = argument(operation, 0, values);
        const Interval b =
            operation.op == Op::subtract ? argument(operation, 1, values) : -argument(operation, 1, values);
        for (const Interval& term : {a, b})
            if (term.lo == 0 && term.hi == 0) return true;
        if (values.is_number[operation.arguments[0]] == 0 || values.is_number[operation.arguments[1]] == 0)
            return false;
        if (numerics::is_undefined(a) || numerics::is_undefined(b) || (a.lo <= 0) != (b.lo <= 0)) return false;
        if ((a.lo <= 0 && a.hi >= 0) || (b.lo <= 0 && b.hi >= 0)) return false;
        return magnitude(a) <= 2 * least_magnitude(b) && magnitude(b) <= 2 * least_magnitude(a);
    }

    /// The error of rounding a product or quotient by a power of two, which is zero except below the normal numbers.
    std::optional<double> scaling(const Operation& operation, const Values& values) const {
        const bool divides = operation.op == Op::divide;
        for (const std::size_t a : {0, 1}) {
            if (divides && a == 0) continue;
            const std::uint32_t from = operation.arguments[a];
            const Interval factor = values.at.reals[from];
            if (!(factor.lo == factor.hi) || values.may_err[from] != 0) continue;
            if (factor.lo == 0) return 0;
            if (!is_power_of_two(factor.lo) || values.is_number[operation.arguments[1 - a]] == 0) continue;
            const bool enlarges = divides ? std::fabs(factor.lo) <= 1 : std::fabs(factor.lo) >= 1;
            return enlarges ? 0 : half_unit(*model.format, numerics::smallest_normal(*model.format));
        }
        return std::nullopt;
    }

    /// Derivatives of the result by an addition to each operation.
    void backward(Values& values) const {
        std::fill(values.weights.begin(), values.weights.end(), numerics::point(0));
        values.weights[tape.root()] = numerics::point(1);
        for (std::size_t i = tape.root() + 1; i-- > 0;) {
            const Operation& operation = tape.operations()[i];
            const Interval weight = values.weights[i];
            if (operation.is_boolean || (weight.lo == 0 && weight.hi == 0)) continue;
            for (std::size_t a = 0; a < operation.arity; ++a) {
                if (!values.has_slope[i][a]) continue;
                Interval& to = values.weights[operation.arguments[a]];
                to = to + weight * values.slopes[i][a];
            }
        }
    }

    static double term(double weight, double added) { return added == 0 ? 0 : numerics::multiply_up(weight, added); }

    /// sum |weight| added over all operations, or over those of `which`.
    template <class Which>
    double total(const std::vector<Interval>& weights, const std::vector<double>& added, Which which) const {
        double sum = 0;
        for (std::size_t i = 0; i <= tape.root(); ++i)
            if (added[i] > 0 && which(i)) sum = numerics::add_up(sum, term(magnitude(weights[i]), added[i]));
        return std::isnan(sum) ? infinity : sum;
    }

    /// The sign of an operation's weight over the box; 0 if it is undecided.
    static int sign_of(const Interval& weight) {
        if (weight.lo >= 0) return 1;
        return weight.hi <= 0 ? -1 : 0;
    }

    ErrorBound bound(std::span<const Enclosure> box) {
        const std::size_t inputs = tape.inputs();
        forward(box, whole, nullptr);
        backward(whole);
        ErrorBound result;
        const Interval value = whole.at.reals[tape.root()];
        result.value = numerics::is_undefined(value) ? Enclosure{-infinity, infinity} : Enclosure{value.lo, value.hi};
        result.error = total(whole.weights, whole.added, [](std::size_t) { return true; });
        result.by_input.assign(inputs, 0);
        std::vector<Enclosure> point;
        for (const Enclosure& side : box) point.push_back(Enclosure::exactly(middle_of(side)));
        forward(point, middle, &whole.added);
        backward(middle);
        by_mean_value(box, result);
        return result;
    }

    MiddleSum near_middle(std::span<const Enclosure> box) {
        std::vector<Enclosure> point;
        for (const Enclosure& side : box) point.push_back(Enclosure::exactly(middle_of(side)));
        forward(point, middle, nullptr);
        backward(middle);
        double sum = 0;
        for (std::size_t i = 0; i <= tape.root(); ++i)
            if (middle.added[i] > 0) sum += term(least_magnitude(middle.weights[i]), middle.added[i]);
        const Interval value = middle.at.reals[tape.root()];
        const bool is_known = std::isfinite(sum) && !numerics::is_undefined(value);
        return is_known ? MiddleSum{sum, {value.lo, value.hi}} : MiddleSum{0, {-infinity, infinity}};
    }

    static double middle_of(const Enclosure& side) {
        const double middle = side.lo + side.width() / 2;
        return std::clamp(middle, side.lo, side.hi);
    }

    void by_mean_value(std::span<const Enclosure> box, ErrorBound& result) {
        if (!whole.has_slopes || !middle.has_slopes || !std::isfinite(result.error)) return;
        std::vector<Interval> tangents;
        std::vector<Interval> slopes_of_sum;
        if (!differentiate(tangents, slopes_of_sum)) return;
        const auto is_signed = [&](std::size_t i) { return sign_of(whole.weights[i]) != 0; };
        double sum = total(middle.weights, whole.added, is_signed);
        sum = numerics::add_up(sum, total(whole.weights, whole.added, [&](std::size_t i) { return !is_signed(i); }));
        Interval value = middle.at.reals[tape.root()];
        for (std::size_t k = 0; k < tape.inputs() && k <= tape.root(); ++k) {
            const double centre = middle_of(box[k]);
            const Interval offset = Interval{box[k].lo, box[k].hi} - numerics::point(centre);
            const double change = term(magnitude(slopes_of_sum[k]), magnitude(offset));
            result.by_input[k] = change;
            sum = numerics::add_up(sum, change);
            value = value + whole.weights[k] * offset;
        }
        if (sum < result.error) result.error = sum;
        if (numerics::is_undefined(value)) return;
        result.value.lo = std::max(result.value.lo, value.lo);
        result.value.hi = std::min(result.value.hi, value.hi);
    }

    /// The sum of weight times added over the operations whose weight has one sign is the derivative of the result
    /// along `added`: its own derivatives by the inputs. False if the formula is not proved to be smooth.
    bool differentiate(std::vector<Interval>& tangents, std::vector<Interval>& by_value) {
        const std::size_t count = tape.root() + 1;
        tangents.assign(count, numerics::point(0));
        by_value.assign(std::max(count, tape.inputs()), numerics::point(0));
        for (std::size_t i = 0; i < count; ++i) {
            const Operation& operation = tape.operations()[i];
            const int sign = sign_of(whole.weights[i]);
            Interval tangent = numerics::point(sign == 0 ? 0 : sign * whole.added[i]);
            for (std::size_t a = 0; a < operation.arity; ++a)
                if (whole.has_slope[i][a]) tangent = tangent + whole.slopes[i][a] * tangents[operation.arguments[a]];
            tangents[i] = tangent;
        }
        for (std::size_t i = count; i-- > 0;) {
            const Operation& operation = tape.operations()[i];
            if (operation.kind != Operation::Kind::operation || operation.is_boolean) continue;
            for (std::size_t a = 0; a < operation.arity; ++a) {
                if (!whole.has_slope[i][a]) continue;
                Interval& to = by_value[operation.arguments[a]];
                to = to + by_value[i] * whole.slopes[i][a];
            }
            if (!add_curvature(i, tangents, by_value)) return false;
        }
        return true;
    }

    bool add_curvature(std::size_t i, const std::vector<Interval>& tangents, std::vector<Interval>& by_value) {
        const Operation& operation = tape.operations()[i];
        if (depends[i] == 0 || operation.op == Op::select || format_of(operation.op)) return true;
        LocalSlopes& local = slopes.of(operation.op, operation.arity);
        const std::array<Interval, 3> arguments = arguments_of(operation, whole);
        if (!local.smooth.holds(arguments)) return false;
        for (std::size_t a = 0; a < operation.arity; ++a) {
            for (std::size_t b = 0; b < operation.arity; ++b) {
                OverArguments& second = local.second[a * operation.arity + b];
                if (second.is_zero()) continue;
                Interval& to = by_value[operation.arguments[a]];
                to = to + whole.weights[i] * second.real(arguments) * tangents[operation.arguments[b]];
            }
        }
        return true;
    }
};

RoundingError::RoundingError(std::unique_ptr<State> state) : state_(std::move(state)) {}
RoundingError::RoundingError(RoundingError&&) noexcept = default;
RoundingError& RoundingError::operator=(RoundingError&&) noexcept = default;
RoundingError::~RoundingError() = default;

std::optional<RoundingError> RoundingError::of(const formula::Node& tree, const std::vector<std::string>& inputs,
                                               const RoundingModel& model, std::string& problem) {
    std::optional<Tape> tape = Tape::of(tree, inputs, problem);
    if (!tape) return std::nullopt;
    return RoundingError(std::make_unique<State>(model, std::move(*tape)));
}

ErrorBound RoundingError::over(std::span<const Enclosure> box) {
    return state_->bound(box);
}

RoundingError::MiddleSum RoundingError::near_middle(std::span<const Enclosure> box) {
    return state_->near_middle(box);
}

std::vector<ErrorTerm> RoundingError::terms(std::span<const Enclosure> box, std::size_t most) {
    state_->forward(box, state_->whole, nullptr);
    state_->backward(state_->whole);
    const State::Values& values = state_->whole;
    const double total = state_->total(values.weights, values.added, [](std::size_t) { return true; });
    std::map<std::string, double> shares;
    for (std::size_t i = 0; i <= state_->tape.root(); ++i) {
        if (values.added[i] == 0) continue;
        const std::string text = formula::print(state_->tape.operations()[i].source);
        shares[text] += magnitude(values.weights[i]) * values.added[i] / total;
    }
    std::vector<ErrorTerm> terms;
    terms.reserve(shares.size());
    for (const auto& [text, share] : shares) terms.push_back({text, share});
    std::stable_sort(terms.begin(), terms.end(),
                     [](const ErrorTerm& a, const ErrorTerm& b) { return a.share > b.share; });
    terms.resize(std::min(terms.size(), most));
    return terms;
}

RoundingError::AtPoint RoundingError::at(std::span<const double> point) const {
    return at_point(state_->tape, state_->model, point);
}

std::size_t RoundingError::operations() const {
    return state_->tape.operations().size();
}

}  // namespace farfield::evaluate
