#include "numerics/directed.hpp"

#include <algorithm>

#include "numerics/mpfr_value.hpp"

namespace farfield::numerics {

namespace {

using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// Where an error term would underflow, MPFR rounds instead; 53 bits and then the subnormal's fewer, both downward.
double rounded_down(Binary operation, double a, double b) {
    const Multiprecision left = Multiprecision::with_bits(a, 53);
    const Multiprecision right = Multiprecision::with_bits(b, 53);
    Multiprecision result = blank(53);
    operation(raw(result), raw(left), raw(right), MPFR_RNDD);
    return mpfr_get_d(raw(result), MPFR_RNDD);
}

// An infinite nearest result: of an infinite operand it is exact, of finite ones it is an overflow, above the largest
// double.
double infinite_down(double result, bool finite_operands) {
    return finite_operands && result > 0 ? std::numeric_limits<double>::max() : result;
}

// Errors of products and remainders are multiples of 2^-106 of the result and stay normal above this.
constexpr double safe = 0x1p-900;

// Steps down unless the error (true minus nearest) is known to be at least zero; NaN is not.
double corrected(double nearest, double error) {
    return error >= 0 ? nearest : step_down(nearest);
}

}  // namespace

double add_down(double a, double b) {
    const double sum = a + b;
    if (!std::isfinite(sum)) return infinite_down(sum, std::isfinite(a) && std::isfinite(b));
    const double part = sum - a;
    return corrected(sum, (a - (sum - part)) + (b - part));
}

double multiply_down(double a, double b) {
    const double product = a * b;
    if (!std::isfinite(product)) return infinite_down(product, std::isfinite(a) && std::isfinite(b));
    if (a == 0 || b == 0) return 0;
    if (std::fabs(product) < safe) return rounded_down(mpfr_mul, a, b);
    return corrected(product, std::fma(a, b, -product));
}

double divide_down(double a, double b) {
    const double quotient = a / b;
    if (!std::isfinite(quotient)) return infinite_down(quotient, std::isfinite(a));
    if (a == 0 || std::isinf(b)) return 0;
    if (std::fabs(quotient) < safe || std::fabs(a) < safe) return rounded_down(mpfr_div, a, b);
    const double remainder = std::fma(-quotient, b, a);
    return corrected(quotient, b > 0 ? remainder : -remainder);
}

double sqrt_down(double x) {
    const double root = std::sqrt(x);
    if (x == 0 || std::isinf(x)) return root;
    // Scaling by a power of four is exact, and so is scaling the root back.
    if (x < safe) return sqrt_down(x * 0x1p400) * 0x1p-200;
    return corrected(root, std::fma(-root, root, x));
}

double sqrt_up(double x) {
    const double down = sqrt_down(x);
    if (x == 0 || std::isinf(x)) return down;
    if (x < safe) return sqrt_up(x * 0x1p400) * 0x1p-200;
    return std::fma(-down, down, x) == 0 ? down : step_up(down);
}

}  // namespace farfield::numerics
