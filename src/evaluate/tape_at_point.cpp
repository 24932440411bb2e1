#include "evaluate/tape_at_point.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "evaluate/enclosure_arithmetic.hpp"

namespace farfield::evaluate {
namespace {

using core::Enclosure;
using formula::Op;
using numerics::Format;
using numerics::Interval;
using numerics::Truth;
using Rigorous = EnclosureArithmetic<RigorousIntervals>;

using numerics::infinity;

/// Evaluates a tape at a point by intervals of many bits.
class PointRun {
public:
    PointRun(std::size_t count, long bits) : arithmetic_{RigorousIntervals{bits}} {
        values_.reals.assign(count, arithmetic_.undefined());
        values_.booleans.assign(count, Truth::unknown);
    }

    const numerics::MpfiValue& real(std::size_t i) const { return values_.reals[i]; }
    void set(std::size_t i, numerics::MpfiValue value) { values_.reals[i] = std::move(value); }
    void apply(std::size_t i, const Operation& operation) {
        evaluate::apply(arithmetic_, operation.op, TapeOperands<Rigorous>{operation, values_, i});
    }
    void round(std::size_t i, const Format& format) {
        const double low = nearest_in(format, values_.reals[i].lower());
        const double high = nearest_in(format, values_.reals[i].upper());
        const bool is_known = !std::isnan(low) && !std::isnan(high);
        values_.reals[i] = is_known ? arithmetic_.traits.between({low, high}) : arithmetic_.undefined();
    }

private:
    Rigorous arithmetic_;
    TapeValues<Rigorous> values_;
};

}  // namespace

double nearest_in(const numerics::Format& format, mpfr_srcptr value) {
    return format.mantissa_bits == fp64.mantissa_bits ? mpfr_get_d(value, MPFR_RNDN)
                                                      : numerics::round_to(format, value);
}

std::optional<numerics::Format> format_of(Op op) {
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    if (op == Op::to_##name) return numerics::known::name;
#include <farfield/numerics/formats.def>
#include <farfield/numerics/interval.hpp>
    return std::nullopt;
}

numerics::MpfiValue constant_of(const Operation& operation) {
    const RigorousIntervals traits{bits_at_point};
    if (operation.kind == Operation::Kind::literal) {
        const numerics::Rational& number = operation.literal;
        const auto above =
            numerics::MpfiValue::from_text(boost::multiprecision::numerator(number).str(), bits_at_point);
        return above / numerics::MpfiValue::from_text(boost::multiprecision::denominator(number).str(), bits_at_point);
    }
    const std::string& name = operation.source->text;
    if (name == "pi") return traits.pi();
    if (name == "e") return traits.e();
    return name == "inf" ? traits.point(infinity) : traits.undefined();
}

RoundingError::AtPoint at_point(const Tape& tape, const RoundingModel& model, std::span<const double> point) {
    PointRun exact(tape.operations().size(), bits_at_point);
    PointRun computed(tape.operations().size(), bits_at_point);
    for (std::size_t i = 0; i <= tape.root(); ++i) {
        const Operation& operation = tape.operations()[i];
        if (operation.kind == Operation::Kind::operation) {
            computed.apply(i, operation);
            // In the exact formula, a rounding operator returns its argument.
            if (format_of(operation.op))
                exact.set(i, exact.real(operation.arguments[0]));
            else
                exact.apply(i, operation);
            if (model.format && !operation.is_boolean) computed.round(i, *model.format);
            continue;
        }
        const bool is_input = operation.kind == Operation::Kind::input;
        const numerics::MpfiValue value =
            is_input ? numerics::MpfiValue(point[operation.input], bits_at_point) : constant_of(operation);
        exact.set(i, value);
        computed.set(i, value);
        if (!model.format) continue;
        computed.round(i, *model.format);
        if (!model.rounds_inputs && !is_input) exact.set(i, computed.real(i));
    }
    const numerics::MpfiValue error = numerics::abs(computed.real(tape.root()) - exact.real(tape.root()));
    const auto outward = [](const numerics::MpfiValue& x) {
        const Interval ends = x.to_interval();
        return numerics::is_undefined(ends) ? Enclosure{-infinity, infinity} : Enclosure{ends.lo, ends.hi};
    };
    return {outward(error), outward(computed.real(tape.root())), outward(exact.real(tape.root()))};
}

}  // namespace farfield::evaluate
