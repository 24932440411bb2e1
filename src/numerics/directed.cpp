#include "numerics/directed.hpp"

#include <algorithm>

#include "numerics/mpfr_value.hpp"

namespace farfield::numerics {

namespace {

using DirectedBinary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

// If an error term would underflow, MPFR rounds instead: first to 53 bits and then to the fewer bits of a subnormal
// number, both downward.
double rounded_down(DirectedBinary operation, double a, double b) {
    const Multiprecision left = Multiprecision::with_bits(a, 53);
    const Multiprecision right = Multiprecision::with_bits(b, 53);
    Multiprecision result = blank(53);
    operation(raw(result), raw(left), raw(right), MPFR_RNDD);
    return mpfr_get_d(raw(result), MPFR_RNDD);
}

}  // namespace

double multiply_down_exactly(double a, double b) {
    return rounded_down(mpfr_mul, a, b);
}

double divide_down(double a, double b) {
    const double quotient = a / b;
    if (!std::isfinite(quotient)) return details::infinite_down(quotient, std::isfinite(a));
    if (a == 0 || std::isinf(b)) return 0;
    if (std::fabs(quotient) < details::safe || std::fabs(a) < details::safe) return rounded_down(mpfr_div, a, b);
    const double remainder = std::fma(-quotient, b, a);
    return details::corrected(quotient, b > 0 ? remainder : -remainder);
}

double sqrt_down(double x) {
    const double root = std::sqrt(x);
    if (x == 0 || std::isinf(x)) return root;
    // Scaling by a power of four is exact, and so is scaling the root back.
    if (x < details::safe) return sqrt_down(x * 0x1p400) * 0x1p-200;
    return details::corrected(root, std::fma(-root, root, x));
}

double sqrt_up(double x) {
    const double down = sqrt_down(x);
    if (x == 0 || std::isinf(x)) return down;
    if (x < details::safe) return sqrt_up(x * 0x1p400) * 0x1p-200;
    return std::fma(-down, down, x) == 0 ? down : step_up(down);
}

}  // namespace farfield::numerics
