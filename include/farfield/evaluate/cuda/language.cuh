// The operators of the formula language for one point, as generated kernels and the interpreter kernel call them.
//
// The same text is compiled by NVRTC at run time, by nvcc, and by the host's compiler, which holds it against the other
// evaluators. It needs no other header on a device. Arithmetics have a function for every row of operators.def:
//   Standard<double>, Standard<float>: as evaluate/standard_arithmetic.hpp, by the functions of the compiler at hand;
//   Fp16, Bf16, E4m3, E5m2: each result is the exact one rounded once, the same bits as on the processor.
// Compile with contraction off (nvcc -fmad=false): digits must not depend on whether a product and a sum are fused.
#pragma once

#if defined(__CUDACC_RTC__)
#define FARFIELD_BOTH __device__ inline
#define FARFIELD_RARE __device__ __noinline__
#elif defined(__CUDACC__)
#define FARFIELD_BOTH __host__ __device__ inline
#define FARFIELD_RARE __host__ __device__ __noinline__
#else
#include <cmath>
#define FARFIELD_BOTH inline
#define FARFIELD_RARE inline __attribute__((noinline))
#endif
// Loops that are seldom run stay loops: unrolled they would take long to compile.
#if defined(__CUDACC__)
#define FARFIELD_ROLLED _Pragma("unroll 1")
#else
#define FARFIELD_ROLLED
#endif

namespace farfield::device {

// The compilers' own constants have names that differ.
FARFIELD_BOTH double not_a_number() {
    return __builtin_bit_cast(double, 0x7ff8000000000000ULL);
}
FARFIELD_BOTH double infinite() {
    return __builtin_bit_cast(double, 0x7ff0000000000000ULL);
}

/// Whether the value is an integer that can be counted to: at most 2^53.
FARFIELD_BOTH bool is_integer(double x) {
    return ::fabs(x) <= 0x1p53 && ::trunc(x) == x;
}

// ---- Functions in double and float ------------------------------------------------------------------------------

FARFIELD_BOTH double exp_of(double x) {
    return ::exp(x);
}
FARFIELD_BOTH double expm1_of(double x) {
    return ::expm1(x);
}
FARFIELD_BOTH double log_of(double x) {
    return ::log(x);
}
FARFIELD_BOTH double log1p_of(double x) {
    return ::log1p(x);
}
FARFIELD_BOTH double log2_of(double x) {
    return ::log2(x);
}
FARFIELD_BOTH double sin_of(double x) {
    return ::sin(x);
}
FARFIELD_BOTH double cos_of(double x) {
    return ::cos(x);
}
FARFIELD_BOTH double tan_of(double x) {
    return ::tan(x);
}
FARFIELD_BOTH double tanh_of(double x) {
    return ::tanh(x);
}
FARFIELD_BOTH double erf_of(double x) {
    return ::erf(x);
}
FARFIELD_BOTH double atan2_of(double y, double x) {
    return ::atan2(y, x);
}
FARFIELD_BOTH double pow_of(double a, double b) {
    return ::pow(a, b);
}
FARFIELD_BOTH double sqrt_of(double x) {
    return ::sqrt(x);
}
FARFIELD_BOTH double fmod_of(double a, double b) {
    return ::fmod(a, b);
}
FARFIELD_BOTH double floor_of(double x) {
    return ::floor(x);
}
FARFIELD_BOTH double ceil_of(double x) {
    return ::ceil(x);
}
FARFIELD_BOTH double rint_of(double x) {
    return ::rint(x);
}
FARFIELD_BOTH double fabs_of(double x) {
    return ::fabs(x);
}
FARFIELD_BOTH double copysign_of(double x, double sign) {
    return ::copysign(x, sign);
}

FARFIELD_BOTH float exp_of(float x) {
    return ::expf(x);
}
FARFIELD_BOTH float expm1_of(float x) {
    return ::expm1f(x);
}
FARFIELD_BOTH float log_of(float x) {
    return ::logf(x);
}
FARFIELD_BOTH float log1p_of(float x) {
    return ::log1pf(x);
}
FARFIELD_BOTH float log2_of(float x) {
    return ::log2f(x);
}
FARFIELD_BOTH float sin_of(float x) {
    return ::sinf(x);
}
FARFIELD_BOTH float cos_of(float x) {
    return ::cosf(x);
}
FARFIELD_BOTH float tanh_of(float x) {
    return ::tanhf(x);
}
FARFIELD_BOTH float erf_of(float x) {
    return ::erff(x);
}
FARFIELD_BOTH float sqrt_of(float x) {
    return ::sqrtf(x);
}
FARFIELD_BOTH float fmod_of(float a, float b) {
    return ::fmodf(a, b);
}
FARFIELD_BOTH float floor_of(float x) {
    return ::floorf(x);
}
FARFIELD_BOTH float ceil_of(float x) {
    return ::ceilf(x);
}
FARFIELD_BOTH float rint_of(float x) {
    return ::rintf(x);
}
FARFIELD_BOTH float fabs_of(float x) {
    return ::fabsf(x);
}
FARFIELD_BOTH float copysign_of(float x, float sign) {
    return ::copysignf(x, sign);
}
// CUDA's own single-precision ones are up to 4 ulp off.
FARFIELD_BOTH float tan_of(float x) {
    return static_cast<float>(::tan(static_cast<double>(x)));
}
FARFIELD_BOTH float atan2_of(float y, float x) {
    return static_cast<float>(::atan2(static_cast<double>(y), static_cast<double>(x)));
}
FARFIELD_BOTH float pow_of(float a, float b) {
    return static_cast<float>(::pow(static_cast<double>(a), static_cast<double>(b)));
}

// ---- Twice the digits of a double, for what a double cannot decide ------------------------------------------------

/// The sum of two doubles, the second below half a unit of the first's last place.
struct Wide {
    double high;
    double low;
};

FARFIELD_BOTH Wide sum_of(double a, double b) {
    const double sum = a + b;
    const double part = sum - a;
    return {sum, (a - (sum - part)) + (b - part)};
}
FARFIELD_BOTH Wide product_of(double a, double b) {
    const double product = a * b;
    return {product, ::fma(a, b, -product)};
}
FARFIELD_BOTH Wide renormalised(double high, double low) {
    const double sum = high + low;
    return {sum, low - (sum - high)};
}
FARFIELD_BOTH Wide operator+(Wide a, Wide b) {
    const Wide high = sum_of(a.high, b.high);
    const Wide low = sum_of(a.low, b.low);
    const Wide first = renormalised(high.high, high.low + low.high);
    return renormalised(first.high, first.low + low.low);
}
FARFIELD_BOTH Wide operator-(Wide a) {
    return {-a.high, -a.low};
}
FARFIELD_BOTH Wide operator-(Wide a, Wide b) {
    return a + -b;
}
FARFIELD_BOTH Wide operator*(Wide a, Wide b) {
    const Wide high = product_of(a.high, b.high);
    return renormalised(high.high, high.low + (a.high * b.low + a.low * b.high));
}
FARFIELD_BOTH Wide operator/(Wide a, Wide b) {
    const double first = a.high / b.high;
    const Wide rest = a - b * Wide{first, 0};
    const double second = rest.high / b.high;
    const Wide last = rest - b * Wide{second, 0};
    const Wide quotient = renormalised(first, second);
    return quotient + Wide{last.high / b.high, 0};
}

/// ln 2 as a sum of two doubles.
FARFIELD_BOTH Wide wide_ln2() {
    return {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
}

/// log(a/b) of positive numbers, with a relative error below 2^-95: 2 atanh((a-b)/(a+b)) once a is within a factor
/// sqrt(2) of b, and whole multiples of ln 2. Small differences of a and b keep their digits.
FARFIELD_RARE Wide wide_log_of_ratio(double a, double b) {
    int exponent = 0;
    int exponent_of_b = 0;
    double near = ::frexp(a, &exponent);
    const double base = ::frexp(b, &exponent_of_b);
    exponent -= exponent_of_b;
    if (near > 1.4142135623730951 * base) {
        near *= 0.5;
        ++exponent;
    } else if (near < 0.70710678118654757 * base) {
        near *= 2;
        --exponent;
    }
    const Wide ratio = sum_of(near, -base) / sum_of(near, base);
    const Wide square = ratio * ratio;
    constexpr int terms = 24;  // 0.1716^(2*24) is 2^-122
    Wide series{0, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 0; --k) series = series * square + Wide{1, 0} / Wide{2.0 * k + 1, 0};
    return Wide{2, 0} * ratio * series + wide_ln2() * Wide{static_cast<double>(exponent), 0};
}

/// exp(x) for |x| < 700, with a relative error below 2^-90.
FARFIELD_RARE Wide wide_exp(Wide x) {
    const double count = ::rint(x.high * 1.4426950408889634);
    const Wide rest = x - wide_ln2() * Wide{count, 0};
    constexpr int terms = 26;  // 0.35^26/26! is 2^-127
    Wide series{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) series =
        Wide{1, 0} + series * rest / Wide{static_cast<double>(k), 0};
    const int exponent = static_cast<int>(count);
    return {::ldexp(series.high, exponent), ::ldexp(series.low, exponent)};
}

/// The angle of (x, y), with a relative error below 2^-90: one step of Newton's from the angle in double, whose sine
/// and cosine come from Taylor's series of an eighth of it, doubled three times.
FARFIELD_RARE Wide wide_atan2(double y, double x) {
    const double angle = ::atan2(y, x);
    const Wide part{angle * 0.125, 0};
    const Wide square = -(part * part);
    constexpr int terms = 14;  // 0.4^29/29! is 2^-141
    Wide sine{1, 0};
    Wide cosine{1, 0};
    FARFIELD_ROLLED for (int k = terms; k >= 1; --k) {
        sine = Wide{1, 0} + sine * square / Wide{2.0 * k * (2.0 * k + 1), 0};
        cosine = Wide{1, 0} + cosine * square / Wide{2.0 * k * (2.0 * k - 1), 0};
    }
    sine = sine * part;
    FARFIELD_ROLLED for (int doubling = 0; doubling < 3; ++doubling) {
        const Wide doubled = Wide{2, 0} * sine * cosine;
        cosine = Wide{1, 0} - Wide{2, 0} * sine * sine;
        sine = doubled;
    }
    const Wide above = Wide{y, 0} * cosine - Wide{x, 0} * sine;
    const Wide below = Wide{x, 0} * cosine + Wide{y, 0} * sine;
    return Wide{angle, 0} + above / below;
}

// ---- T5's bucket --------------------------------------------------------------------------------------------------

/// floor(far log(n/near)/log(D/near)) where the double `position` cannot tell; within 2^-80 an integer counts as
/// reached, as where powers of whole numbers are equal.
FARFIELD_RARE double wide_floor_of_position(double n, double near, double far, double max_distance) {
    const Wide position = Wide{far, 0} * wide_log_of_ratio(n, near) / wide_log_of_ratio(max_distance, near);
    const double nearest = ::rint(position.high);
    const double above = (position.high - nearest) + position.low;
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

// ---- Double and float ---------------------------------------------------------------------------------------------

template <class Real>
struct Standard {
    using Number = Real;

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
    FARFIELD_BOTH static Real exponential(Real x) { return exp_of(x); }
    FARFIELD_BOTH static Real exponential_minus_one(Real x) { return expm1_of(x); }
    FARFIELD_BOTH static Real logarithm(Real x) { return log_of(x); }
    FARFIELD_BOTH static Real logarithm_one_plus(Real x) { return log1p_of(x); }
    FARFIELD_BOTH static Real logarithm_two(Real x) { return log2_of(x); }
    FARFIELD_BOTH static Real sine(Real x) { return sin_of(x); }
    FARFIELD_BOTH static Real cosine(Real x) { return cos_of(x); }
    FARFIELD_BOTH static Real tangent(Real x) { return tan_of(x); }
    FARFIELD_BOTH static Real hyperbolic_tangent(Real x) { return tanh_of(x); }
    FARFIELD_BOTH static Real arctangent(Real y, Real x) { return atan2_of(y, x); }
    FARFIELD_BOTH static Real floor(Real x) { return floor_of(x); }
    FARFIELD_BOTH static Real ceiling(Real x) { return ceil_of(x); }
    FARFIELD_BOTH static Real round(Real x) { return rint_of(x); }
    FARFIELD_BOTH static Real sign(Real x) { return x != x ? x : static_cast<Real>((x > 0) - (x < 0)); }
    FARFIELD_BOTH static Real minimum(Real a, Real b) { return a != a || a < b ? a : b; }
    FARFIELD_BOTH static Real maximum(Real a, Real b) { return a != a || a > b ? a : b; }
    FARFIELD_BOTH static Real clamp(Real x, Real low, Real high) { return minimum(maximum(x, low), high); }
    // In double also for float: their steps' errors add up.
    FARFIELD_BOTH static Real softplus(Real x) {
        const double above = x != x || x > 0 ? static_cast<double>(x) : 0;
        return static_cast<Real>(above + ::log1p(::exp(-::fabs(static_cast<double>(x)))));
    }
    FARFIELD_BOTH static Real sigmoid(Real x) {
        const double power = ::exp(-::fabs(static_cast<double>(x)));
        return static_cast<Real>((x < 0 ? power : 1) / (1 + power));
    }
    FARFIELD_BOTH static Real error_function(Real x) { return erf_of(x); }
    FARFIELD_BOTH static Real t5_bucket(Real n, Real buckets, Real max_distance) {
        return static_cast<Real>(device::t5_bucket(n, buckets, max_distance));
    }
    FARFIELD_BOTH static Real sum(Real accumulator, Real body) { return accumulator + body; }
    FARFIELD_BOTH static Real product(Real accumulator, Real body) { return accumulator * body; }
    FARFIELD_BOTH static bool for_all(bool accumulator, bool body) { return accumulator && body; }
    FARFIELD_BOTH static bool for_some(bool accumulator, bool body) { return accumulator || body; }
};

// ---- Low precision ------------------------------------------------------------------------------------------------

/// Numbers of the format are held as doubles. Sums, products, quotients, roots and remainders computed in double and
/// rounded are the exact ones rounded once. So are all functions of one number: for no number of these formats does an
/// exact value lie within 2^-40 of itself of where rounding turns, save logarithms to base 2 of powers of 2, which are
/// computed exactly (tests/evaluate/cuda_language_test.cpp looks at every number of every format). Where a power or an
/// angle lies closer than that, 90 bits decide.
template <int exponent_bits, int mantissa_bits, bool has_infinity>
struct LowPrecision {
    using Number = double;
    using Wider = Standard<double>;

    static constexpr int lowest_exponent = 2 - (1 << (exponent_bits - 1));
    static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
    static constexpr int highest_exponent = has_infinity ? bias : bias + 1;
    static constexpr double doubt = 0x1p-48;

    FARFIELD_BOTH static double power_of_two(int e) {
        return __builtin_bit_cast(double, static_cast<unsigned long long>(e + 1023) << 52);
    }

    /// To the nearest multiple of 2^(exponent - bits), in the binade of `value` as far as the format has one.
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

    /// Whether an error of `doubt` could change what the value is rounded to.
    FARFIELD_BOTH static bool is_decided(double value) {
        if (!(::fabs(value) > 0 && ::fabs(value) < infinite())) return true;
        const double low = rounded(value - ::fabs(value) * doubt);
        const double high = rounded(value + ::fabs(value) * doubt);
        return low == high || (low != low && high != high);
    }

    /// The exact value rounded, from one that is not decided by a double. Within 2^-85 it is where rounding turns;
    /// there the value itself is rounded, or with `ties_are_below` what lies nearer to zero.
    FARFIELD_RARE static double round_wide(Wide value, bool ties_are_below) {
        const double turn = nearest(value.high, mantissa_bits + 1);
        const double above = (value.high - turn) + value.low;
        const bool tie = ::fabs(above) <= 0x1p-85 * ::fabs(turn);
        if (tie && !ties_are_below) return rounded(turn);
        const double upwards = above > 0 && !tie ? infinite() : -infinite();
        const double towards = tie ? 0 : upwards;
        // Where the double is off the turn already it lies on the right side; on it, one step leads there.
        return rounded(value.high == turn || tie ? ::nextafter(turn, towards) : value.high);
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
        const Wide exact = wide_exp(Wide{b, 0} * wide_log_of_ratio(::fabs(a), 1));
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
    FARFIELD_BOTH static double exponential(double x) { return rounded(::exp(x)); }
    FARFIELD_BOTH static double exponential_minus_one(double x) { return rounded(::expm1(x)); }
    FARFIELD_BOTH static double logarithm(double x) { return rounded(::log(x)); }
    FARFIELD_BOTH static double logarithm_one_plus(double x) { return rounded(::log1p(x)); }
    FARFIELD_BOTH static double logarithm_two(double x) {
        int exponent = 0;
        const bool is_power = x > 0 && ::frexp(x, &exponent) == 0.5;
        return rounded(is_power ? exponent - 1 : ::log2(x));
    }
    FARFIELD_BOTH static double sine(double x) { return rounded(::sin(x)); }
    FARFIELD_BOTH static double cosine(double x) { return rounded(::cos(x)); }
    FARFIELD_BOTH static double tangent(double x) { return rounded(::tan(x)); }
    FARFIELD_BOTH static double hyperbolic_tangent(double x) { return rounded(::tanh(x)); }
    FARFIELD_BOTH static double arctangent(double y, double x) {
        const double found = ::atan2(y, x);
        if (is_decided(found)) return rounded(found);
        // The angle of a small ratio is the ratio less a third of its cube, however small that is.
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
    FARFIELD_BOTH static double error_function(double x) { return rounded(::erf(x)); }
    FARFIELD_BOTH static double t5_bucket(double n, double buckets, double max_distance) {
        return rounded(device::t5_bucket(n, buckets, max_distance));
    }
    FARFIELD_BOTH static double sum(double accumulator, double body) { return rounded(accumulator + body); }
    FARFIELD_BOTH static double product(double accumulator, double body) { return rounded(accumulator * body); }
    FARFIELD_BOTH static bool for_all(bool accumulator, bool body) { return accumulator && body; }
    FARFIELD_BOTH static bool for_some(bool accumulator, bool body) { return accumulator || body; }
};

using Fp16 = LowPrecision<5, 10, true>;
using Bf16 = LowPrecision<8, 7, true>;
using E4m3 = LowPrecision<4, 3, false>;
using E5m2 = LowPrecision<5, 2, true>;

/// An entry of a table; NaN outside it or where the index is no integer.
template <class Arithmetic>
FARFIELD_BOTH typename Arithmetic::Number look_up(const double* table, double entries, double index) {
    const bool inside = is_integer(index) && index >= 0 && index < entries;
    return inside ? Arithmetic::input(table[static_cast<long long>(index)]) : Arithmetic::undefined();
}

}  // namespace farfield::device
