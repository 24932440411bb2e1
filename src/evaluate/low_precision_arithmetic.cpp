#include "evaluate/low_precision_arithmetic.hpp"

#include <farfield/numerics/rounding.hpp>

namespace farfield::evaluate {

namespace {

using Exact = LowPrecisionArithmetic::Exact;
using Standard = StandardArithmetic<double>;

// The format's bits, the range of its exponents, and room for a decision no rounding case comes near.
constexpr int deciding_digits = 60;
// Half of bfloat16's smallest number, 2^-134, is 2^-270 of itself away from the nearest angle of a ratio: t - t^3/3.
constexpr int deciding_digits_of_angles = 100;

// Sixteen units of a double's last place: more than any function of the C library, or two composed, is wrong by.
constexpr double doubt = 0x1p-48;

bool same(double a, double b) {
    return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

// `approximate` rounded, unless its error might change the result; then the exact function decides.
template <int digits = deciding_digits, class Function, class... Arguments>
double decide(const numerics::Format& format, double approximate, Function exact, Arguments... arguments) {
    const double low = numerics::round_to(format, approximate - std::fabs(approximate) * doubt);
    const double high = numerics::round_to(format, approximate + std::fabs(approximate) * doubt);
    if (std::isnan(approximate) || same(low, high)) return numerics::round_to(format, approximate);
    return numerics::round_to(format, exact(Exact(arguments, digits)...));
}

}  // namespace

double LowPrecisionArithmetic::literal(double value, const std::string& text) const {
    if (text == "pi" || text == "e" || text == "inf") return rounded(value);
    return numerics::round_to(*format, Exact::from_text(text, deciding_digits));
}

double LowPrecisionArithmetic::power(double a, double b) const {
    return decide(
        *format, Standard::power(a, b), [](const Exact& x, const Exact& y) { return pow(x, y); }, a, b);
}
double LowPrecisionArithmetic::arctangent(double y, double x) const {
    return decide<deciding_digits_of_angles>(
        *format, Standard::arctangent(y, x), [](const Exact& v, const Exact& w) { return atan2(v, w); }, y, x);
}
double LowPrecisionArithmetic::exponential(double x) const {
    return decide(
        *format, std::exp(x), [](const Exact& v) { return exp(v); }, x);
}
double LowPrecisionArithmetic::exponential_minus_one(double x) const {
    return decide(
        *format, std::expm1(x), [](const Exact& v) { return expm1(v); }, x);
}
double LowPrecisionArithmetic::logarithm(double x) const {
    return decide(
        *format, std::log(x), [](const Exact& v) { return log(v); }, x);
}
double LowPrecisionArithmetic::logarithm_one_plus(double x) const {
    return decide(
        *format, std::log1p(x), [](const Exact& v) { return log1p(v); }, x);
}
double LowPrecisionArithmetic::logarithm_two(double x) const {
    return decide(
        *format, std::log2(x), [](const Exact& v) { return log2(v); }, x);
}
double LowPrecisionArithmetic::sine(double x) const {
    return decide(
        *format, std::sin(x), [](const Exact& v) { return sin(v); }, x);
}
double LowPrecisionArithmetic::cosine(double x) const {
    return decide(
        *format, std::cos(x), [](const Exact& v) { return cos(v); }, x);
}
double LowPrecisionArithmetic::tangent(double x) const {
    return decide(
        *format, std::tan(x), [](const Exact& v) { return tan(v); }, x);
}
double LowPrecisionArithmetic::hyperbolic_tangent(double x) const {
    return decide(
        *format, std::tanh(x), [](const Exact& v) { return tanh(v); }, x);
}
double LowPrecisionArithmetic::softplus(double x) const {
    return decide(
        *format, Standard::softplus(x), [](const Exact& v) { return numerics::softplus(v); }, x);
}
double LowPrecisionArithmetic::sigmoid(double x) const {
    return decide(
        *format, Standard::sigmoid(x), [](const Exact& v) { return numerics::sigmoid(v); }, x);
}
double LowPrecisionArithmetic::error_function(double x) const {
    return decide(
        *format, std::erf(x), [](const Exact& v) { return erf(v); }, x);
}

}  // namespace farfield::evaluate
