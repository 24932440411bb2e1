#include "evaluate/low_precision_arithmetic.hpp"

#include <optional>

#include <farfield/numerics/fast/interval_functions.hpp>
#include <farfield/numerics/interval.hpp>
#include <farfield/numerics/interval_functions.hpp>
#include <farfield/numerics/rounding.hpp>

namespace farfield::evaluate {

namespace {

using Exact = LowPrecisionArithmetic::Exact;
using numerics::Interval;
namespace fast = numerics::fast;

// Digits for the format's bits and the range of its exponents, and enough more that no rounding case comes near.
constexpr int deciding_digits = 60;
// Half of bfloat16's smallest number, 2^-134, is 2^-270 of itself away from the nearest angle of a ratio: t - t^3/3.
constexpr int deciding_digits_of_angles = 100;

// Rounds an enclosure of the value if both ends give the same number; otherwise the exact function decides. It also
// decides if an argument is zero, because enclosures do not keep the sign of zeros.
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
#define FUNCTION(name, stem, shape, parity, lanes, device, slope)     \
    double LowPrecisionArithmetic::name(double x) const {             \
        return decide(                                                \
            *format, [](const Interval& v) { return fast::stem(v); }, \
            [](const Exact& v) { return numerics::stem(v); }, x);     \
    }
#include <farfield/numerics/functions.def>
double LowPrecisionArithmetic::softplus(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::softplus(v); },
        [](const Exact& v) { return numerics::softplus(v); }, x);
}
double LowPrecisionArithmetic::sine_integral(double x) const {
    return decide(
        *format, [](const Interval& v) { return numerics::sine_integral(v); },
        [](const Exact& v) { return numerics::sine_integral(v); }, x);
}
double LowPrecisionArithmetic::sigmoid(double x) const {
    return decide(
        *format, [](const Interval& v) { return fast::sigmoid(v); },
        [](const Exact& v) { return numerics::sigmoid(v); }, x);
}

}  // namespace farfield::evaluate
