// The operators of the formula language for one point. Generated kernels and the interpreter kernel call them.
//
// NVRTC compiles this file at run time, nvcc at build time, and the host's compiler for tests that compare it with the
// other evaluators. On a device it needs only the two headers that it includes. Each arithmetic has a function for
// every row of operators.def:
//   Standard<double>, Standard<float>: like evaluate/standard_arithmetic.hpp, with the compiler's own functions;
//   formats::fp16, ...: each result is the exact result rounded once, with the same bits as on the CPU.
// Compile without contraction (nvcc -fmad=false): digits must not depend on whether a product and a sum are fused.
#pragma once

#include <farfield/evaluate/cuda/functions.cuh>
#include <farfield/evaluate/cuda/wide.cuh>

namespace farfield::device {

// ---- T5's bucket --------------------------------------------------------------------------------------------------

/// floor(far log(n/near)/log(D/near)) for arguments where double precision does not decide it. A value within 2^-80 of
/// an integer counts as this integer, because the exact value is an integer where integer powers are equal.
FARFIELD_RARE double wide_floor_of_position(double n, double near, double far, double max_distance) {
    const DoubleDouble position =
        DoubleDouble{far, 0} * wide_log_of_ratio(n, near) / wide_log_of_ratio(max_distance, near);
    const double nearest = ::rint(position.hi);
    const double above = (position.hi - nearest) + position.lo;
    return above >= -0x1p-80 * (1 + nearest) ? nearest : nearest - 1;
}

/// T5's causal bucket, as evaluate/t5_bucket.hpp defines it.
FARFIELD_RARE double t5_bucket(double n, double buckets, double max_distance) {
    const double nan = not_a_number();
    if (!(buckets >= 2 && buckets <= 65536 && ::trunc(buckets) == buckets)) return nan;
    const double near = ::floor(buckets / 2);
    const double far = buckets - near;
    if (n != n || !(max_distance > near)) return nan;
    if (n < near) return n > 0 ? ::floor(n) : 0;
    if (n >= max_distance) return buckets - 1;
    const double position = far * ::log(n / near) / ::log(max_distance / near);
    const double margin = 0x1p-40 * (1 + position);
    const bool doubtful =
        ::floor(position - margin) != ::floor(position + margin) || !(max_distance > 1.01 * near) || position < 0x1p-8;
    const bool finite = max_distance - max_distance == 0;
    const double whole = finite && doubtful ? wide_floor_of_position(n, near, far, max_distance) : ::floor(position);
    return ::fmin(near + whole, buckets - 1);
}

// ---- Rounding to a format ------------------------------------------------------------------------------------------

template <int exponent_bits, int mantissa_bits, bool has_infinity>
struct Rounding {
    static constexpr int lowest_exponent = 2 - (1 << (exponent_bits - 1));
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int highest_exponent = has_infinity ? bias : bias + 1;

    FARFIELD_BOTH static double power_of_two(int e) {
        return __builtin_bit_cast(double, static_cast<unsigned long long>(e + 1023) << 52);
    }

    /// Rounds to the nearest multiple of 2^(exponent - bits). The exponent is that of `value`, clamped to the format's
    /// range.
    FARFIELD_BOTH static double nearest(double value, int bits) {
        const int field = static_cast<int>(__builtin_bit_cast(unsigned long long, value) >> 52) & 0x7ff;
        int exponent = field - 1023;
        exponent = exponent < lowest_exponent ? lowest_exponent : exponent;
        exponent = exponent > highest_exponent ? highest_exponent : exponent;
        const double shift = power_of_two(52 + exponent - bits);
        return ::copysign((::fabs(value) + shift) - shift, value);
    }

    /// Rounded to nearest, ties to even; see numerics/format.hpp.
    FARFIELD_BOTH static double rounded(double value) {
        const double found = nearest(value, mantissa_bits);
        const double largest =
            (2 - power_of_two((has_infinity ? 0 : 1) - mantissa_bits)) * power_of_two(highest_exponent);
        const double beyond = has_infinity ? infinite() : not_a_number();
        return ::fabs(found) > largest ? ::copysign(beyond, value) : found;
    }
};

// ---- Double and float ---------------------------------------------------------------------------------------------

template <class Real>
struct Standard {
    using Number = Real;

    /// Integers below it differ from their neighbours; a larger bound or index may have been rounded.
    FARFIELD_BOTH static double largest_integer() { return sizeof(Real) == sizeof(float) ? 0x1p24 : 0x1p53; }

    FARFIELD_BOTH static Real undefined() { return static_cast<Real>(not_a_number()); }
    FARFIELD_BOTH static Real infinity() { return static_cast<Real>(infinite()); }
    FARFIELD_BOTH static Real input(double value) { return static_cast<Real>(value); }

    FARFIELD_BOTH static Real add(Real a, Real b) { return a + b; }
    FARFIELD_BOTH static Real subtract(Real a, Real b) { return a - b; }
    FARFIELD_BOTH static Real multiply(Real a, Real b) { return a * b; }
    FARFIELD_BOTH static Real divide(Real a, Real b) { return a / b; }
    FARFIELD_BOTH static Real modulo(Real a, Real b) {
        const Real remainder = fmod_of(a, b);
        if (remainder == 0) return copysign_of(remainder, b);
        return (remainder < 0) == (b < 0) ? remainder : remainder + b;
    }
    FARFIELD_BOTH static Real negate(Real a) { return -a; }
    FARFIELD_BOTH static Real power(Real a, Real b) { return pow_of(a, b); }
    FARFIELD_BOTH static bool less(Real a, Real b) { return a < b; }
    FARFIELD_BOTH static bool less_equal(Real a, Real b) { return a <= b; }
    FARFIELD_BOTH static bool greater(Real a, Real b) { return a > b; }
    FARFIELD_BOTH static bool greater_equal(Real a, Real b) { return a >= b; }
    FARFIELD_BOTH static bool equals(Real a, Real b) { return a == b; }
    FARFIELD_BOTH static bool differs(Real a, Real b) { return a != b; }
    FARFIELD_BOTH static bool logical_not(bool a) { return !a; }
    FARFIELD_BOTH static bool logical_and(bool a, bool b) { return a && b; }
    FARFIELD_BOTH static bool logical_or(bool a, bool b) { return a || b; }
    FARFIELD_BOTH static Real select(bool condition, Real a, Real b) { return condition ? a : b; }
    FARFIELD_BOTH static Real absolute(Real x) { return fabs_of(x); }
    FARFIELD_BOTH static Real square_root(Real x) { return sqrt_of(x); }
    FARFIELD_BOTH static Real arctangent(Real y, Real x) { return atan2_of(y, x); }
    FARFIELD_BOTH static Real floor(Real x) { return floor_of(x); }
    FARFIELD_BOTH static Real ceiling(Real x) { return ceil_of(x); }
    FARFIELD_BOTH static Real round(Real x) { return rint_of(x); }
    FARFIELD_BOTH static Real sign(Real x) { return x != x ? x : static_cast<Real>((x > 0) - (x < 0)); }
    FARFIELD_BOTH static Real minimum(Real a, Real b) { return a != a || a < b ? a : b; }
    FARFIELD_BOTH static Real maximum(Real a, Real b) { return a != a || a > b ? a : b; }
    FARFIELD_BOTH static Real clamp(Real x, Real low, Real high) { return minimum(maximum(x, low), high); }
    // Computed in double also for float, because the errors of the single steps add up.
    FARFIELD_BOTH static Real softplus(Real x) {
        const double above = x != x || x > 0 ? static_cast<double>(x) : 0;
        return static_cast<Real>(above + ::log1p(::exp(-::fabs(static_cast<double>(x)))));
    }
    FARFIELD_BOTH static Real sigmoid(Real x) {
        const double power = ::exp(-::fabs(static_cast<double>(x)));
        return static_cast<Real>((x < 0 ? power : 1) / (1 + power));
    }
    FARFIELD_BOTH static Real sine_integral(Real x) { return static_cast<Real>(device::sine_integral(x)); }
    FARFIELD_BOTH static Real binomial(Real n, Real k) { return static_cast<Real>(device::binomial(n, k)); }
    FARFIELD_BOTH static Real t5_bucket(Real n, Real buckets, Real max_distance) {
        return static_cast<Real>(device::t5_bucket(n, buckets, max_distance));
    }
    FARFIELD_BOTH static Real sum(Real accumulator, Real body) { return accumulator + body; }
    FARFIELD_BOTH static Real product(Real accumulator, Real body) { return accumulator * body; }
    FARFIELD_BOTH static bool for_all(bool accumulator, bool body) { return accumulator && body; }
    FARFIELD_BOTH static bool for_some(bool accumulator, bool body) { return accumulator || body; }

#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    FARFIELD_BOTH static Real name(Real x) {                      \
        return stem##_of(x);                                      \
    }
#include <farfield/numerics/functions.def>
#define FARFIELD_HAS_infinite true
#define FARFIELD_HAS_not_a_number false
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source)                                    \
    FARFIELD_BOTH static Real to_##name(Real x) {                                                              \
        return static_cast<Real>(Rounding<exponent_bits, mantissa_bits, FARFIELD_HAS_##overflow>::rounded(x)); \
    }
#include <farfield/numerics/formats.def>
};

// ---- Low precision ------------------------------------------------------------------------------------------------

/// Stores the format's numbers as doubles. Sums, products, quotients, square roots and remainders that are computed in
/// double and then rounded equal the exact results rounded once. The same is true of all functions of one number: no
/// exact value is within a relative distance of 2^-40 of a rounding boundary, except logarithms to base 2 of powers
/// of 2, which are computed exactly (tests/evaluate/cuda_language_test.cpp checks every number of every format). Powers
/// and angles that are too close to a boundary are computed with 90 bits.
template <int exponent_bits, int mantissa_bits, bool has_infinity>
struct LowPrecision {
    using Number = double;
    using Wider = Standard<double>;
    using Format = Rounding<exponent_bits, mantissa_bits, has_infinity>;

    static constexpr double doubt = 0x1p-48;

    /// As in Standard.
    FARFIELD_BOTH static double largest_integer() { return static_cast<double>(2LL << mantissa_bits); }

    FARFIELD_BOTH static double nearest(double value, int bits) { return Format::nearest(value, bits); }
    FARFIELD_BOTH static double rounded(double value) { return Format::rounded(value); }

    /// Whether the value rounds to the same number for every relative error up to `doubt`.
    FARFIELD_BOTH static bool is_decided(double value) {
        if (!(::fabs(value) > 0 && ::fabs(value) < infinite())) return true;
        const double low = rounded(value - ::fabs(value) * doubt);
        const double high = rounded(value + ::fabs(value) * doubt);
        return low == high || (low != low && high != high);
    }

    /// Rounds a value that is too close to a rounding boundary for a double. A value within 2^-85 of the boundary
    /// counts as a tie: it is rounded to even, or towards zero with `ties_are_below`.
    FARFIELD_RARE static double round_wide(DoubleDouble value, bool ties_are_below) {
        const double turn = nearest(value.hi, mantissa_bits + 1);
        const double above = (value.hi - turn) + value.lo;
        const bool tie = ::fabs(above) <= 0x1p-85 * ::fabs(turn);
        if (tie && !ties_are_below) return rounded(turn);
        const double upwards = above > 0 && !tie ? infinite() : -infinite();
        const double towards = tie ? 0 : upwards;
        // A double that is not on the boundary is on the correct side of it; otherwise one step moves it there.
        return rounded(value.hi == turn || tie ? ::nextafter(turn, towards) : value.hi);
    }

    FARFIELD_BOTH static double undefined() { return not_a_number(); }
    FARFIELD_BOTH static double infinity() { return infinite(); }
    FARFIELD_BOTH static double input(double value) { return rounded(value); }

    FARFIELD_BOTH static double add(double a, double b) { return rounded(a + b); }
    FARFIELD_BOTH static double subtract(double a, double b) { return rounded(a - b); }
    FARFIELD_BOTH static double multiply(double a, double b) { return rounded(a * b); }
    FARFIELD_BOTH static double divide(double a, double b) { return rounded(a / b); }
    FARFIELD_BOTH static double modulo(double a, double b) { return rounded(Wider::modulo(a, b)); }
    FARFIELD_BOTH static double negate(double a) { return -a; }
    FARFIELD_BOTH static double power(double a, double b) {
        const double found = ::pow(a, b);
        if (is_decided(found)) return rounded(found);
        const DoubleDouble exact = wide_exp(DoubleDouble{b, 0} * wide_log_of_ratio(::fabs(a), 1));
        return round_wide(found < 0 ? -exact : exact, false);
    }
    FARFIELD_BOTH static bool less(double a, double b) { return a < b; }
    FARFIELD_BOTH static bool less_equal(double a, double b) { return a <= b; }
    FARFIELD_BOTH static bool greater(double a, double b) { return a > b; }
    FARFIELD_BOTH static bool greater_equal(double a, double b) { return a >= b; }
    FARFIELD_BOTH static bool equals(double a, double b) { return a == b; }
    FARFIELD_BOTH static bool differs(double a, double b) { return a != b; }
    FARFIELD_BOTH static bool logical_not(bool a) { return !a; }
    FARFIELD_BOTH static bool logical_and(bool a, bool b) { return a && b; }
    FARFIELD_BOTH static bool logical_or(bool a, bool b) { return a || b; }
    FARFIELD_BOTH static double select(bool condition, double a, double b) { return condition ? a : b; }
    FARFIELD_BOTH static double absolute(double x) { return ::fabs(x); }
    FARFIELD_BOTH static double square_root(double x) { return rounded(::sqrt(x)); }
    FARFIELD_BOTH static double arctangent(double y, double x) {
        const double found = ::atan2(y, x);
        if (is_decided(found)) return rounded(found);
        // The angle of a small ratio is smaller than the ratio by a third of its cube, so an apparent tie is below.
        return round_wide(wide_atan2(y, x), true);
    }
    FARFIELD_BOTH static double floor(double x) { return rounded(::floor(x)); }
    FARFIELD_BOTH static double ceiling(double x) { return rounded(::ceil(x)); }
    FARFIELD_BOTH static double round(double x) { return rounded(::rint(x)); }
    FARFIELD_BOTH static double sign(double x) { return Wider::sign(x); }
    FARFIELD_BOTH static double minimum(double a, double b) { return Wider::minimum(a, b); }
    FARFIELD_BOTH static double maximum(double a, double b) { return Wider::maximum(a, b); }
    FARFIELD_BOTH static double clamp(double x, double low, double high) { return Wider::clamp(x, low, high); }
    FARFIELD_BOTH static double softplus(double x) { return rounded(Wider::softplus(x)); }
    FARFIELD_BOTH static double sigmoid(double x) { return rounded(Wider::sigmoid(x)); }
    FARFIELD_BOTH static double sine_integral(double x) { return rounded(Wider::sine_integral(x)); }
    FARFIELD_BOTH static double binomial(double n, double k) { return rounded(Wider::binomial(n, k)); }
    FARFIELD_BOTH static double t5_bucket(double n, double buckets, double max_distance) {
        return rounded(device::t5_bucket(n, buckets, max_distance));
    }
    FARFIELD_BOTH static double sum(double accumulator, double body) { return rounded(accumulator + body); }
    FARFIELD_BOTH static double product(double accumulator, double body) { return rounded(accumulator * body); }
    FARFIELD_BOTH static bool for_all(bool accumulator, bool body) { return accumulator && body; }
    FARFIELD_BOTH static bool for_some(bool accumulator, bool body) { return accumulator || body; }

#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    FARFIELD_BOTH static double name(double x) {                  \
        return rounded(stem##_of(x));                             \
    }
#include <farfield/numerics/functions.def>
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    FARFIELD_BOTH static double to_##name(double x) {                       \
        return rounded(Wider::to_##name(x));                                \
    }
#include <farfield/numerics/formats.def>
};

/// The arithmetic of each format: formats::fp16.
namespace formats {
// NOLINTBEGIN(bugprone-macro-parentheses): a declared name cannot be in parentheses
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source) \
    using name = LowPrecision<exponent_bits, mantissa_bits, FARFIELD_HAS_##overflow>;
#include <farfield/numerics/formats.def>
// NOLINTEND(bugprone-macro-parentheses)
}  // namespace formats
#undef FARFIELD_HAS_infinite
#undef FARFIELD_HAS_not_a_number

/// An entry of a table; NaN if the index is outside the table or not an integer.
template <class Arithmetic>
FARFIELD_BOTH typename Arithmetic::Number look_up(const double* table, double entries, double index) {
    const bool inside = is_integer(index, Arithmetic::largest_integer()) && index >= 0 && index < entries;
    return inside ? Arithmetic::input(table[static_cast<long long>(index)]) : Arithmetic::undefined();
}

}  // namespace farfield::device
