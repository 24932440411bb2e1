#include "evaluate/low_precision_arithmetic.hpp"

#include <optional>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/rounding.hpp>

namespace farfield::evaluate {

namespace {

using Exact = LowPrecisionArithmetic::Exact;
using numerics::Interval;
namespace fast = numerics::fast;

// The format's bits, the range of its exponents, and room for a decision no rounding case comes near.
constexpr int deciding_digits = 60;
// Half of bfloat16's smallest number, 2^-134, is 2^-270 of itself away from the nearest angle of a ratio: t - t^3/3.
constexpr int deciding_digits_of_angles = 100;

// An enclosure of the value rounded, if that is one number; else the exact function decides. So it does where an
// argument is zero, since enclosures keep no sign of zeros.
template <int digits = deciding_digits, class Fast, class Function, class... Arguments>
double decide(const numerics::Format& format, Fast enclosing, Function exact, Arguments... arguments) {
    if (((arguments != 0) && ...)) {
        const std::optional<double> one = numerics::round_to(format, enclosing(numerics::point(arguments)...));
        if (one) return *one;
    }
    return numerics::round_to(format, exact(Exact(arguments, digits)...));
}

}  // namespace

double LowPrecisionArithmetic::literal(double value, const std::string& text) const {
    if (text == "pi" || text == "e" || text == "inf") return rounded(value);
    return numerics::round_to(*format, Exact::from_text(text, deciding_digits));
}

double LowPrecisionArithmetic::power(double a, double b) const {
    return decide(
        *format, [](const Interval& v, const Interval& w) { return fast::pow(v, w); },
        [](const Exact& x, const Exact& y) { return pow(x, y); }, a, b);
}
double LowPrecisionArithmetic::arctangent(double y, double x) const {
    return decide<deciding_digits_of_angles>(
        *format, [](const Interval& v, const Interval& w) { return fast::atan2(v, w); },
        [](const Exact& v, const Exact& w) { return atan2(v, w); }, y, x);
}
double LowPrecisionArithmetic::exponential(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::exp(v); }, [](const Exact& v) { return numerics::exp(v); }, x);
}
double LowPrecisionArithmetic::exponential_minus_one(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::expm1(v); }, [](const Exact& v) { return numerics::expm1(v); },
        x);
}
double LowPrecisionArithmetic::logarithm(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::log(v); }, [](const Exact& v) { return numerics::log(v); }, x);
}
double LowPrecisionArithmetic::logarithm_one_plus(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::log1p(v); }, [](const Exact& v) { return numerics::log1p(v); },
        x);
}
double LowPrecisionArithmetic::logarithm_two(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::log2(v); }, [](const Exact& v) { return numerics::log2(v); }, x);
}
double LowPrecisionArithmetic::sine(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::sin(v); }, [](const Exact& v) { return numerics::sin(v); }, x);
}
double LowPrecisionArithmetic::cosine(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::cos(v); }, [](const Exact& v) { return numerics::cos(v); }, x);
}
double LowPrecisionArithmetic::tangent(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::tan(v); }, [](const Exact& v) { return numerics::tan(v); }, x);
}
double LowPrecisionArithmetic::hyperbolic_tangent(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::tanh(v); }, [](const Exact& v) { return numerics::tanh(v); }, x);
}
double LowPrecisionArithmetic::softplus(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::softplus(v); },
        [](const Exact& v) { return numerics::softplus(v); }, x);
}
double LowPrecisionArithmetic::sigmoid(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::sigmoid(v); },
        [](const Exact& v) { return numerics::sigmoid(v); }, x);
}
double LowPrecisionArithmetic::error_function(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::erf(v); }, [](const Exact& v) { return numerics::erf(v); }, x);
}

}  // namespace farfield::evaluate
