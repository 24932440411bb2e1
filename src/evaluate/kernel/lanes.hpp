// Every operator of the language on vectors. Only for kernel.cpp; see vector.hpp.
#pragma once

#include <farfield/numerics/format.hpp>

#include "evaluate/kernel/functions.hpp"
#include "evaluate/kernel/vector.hpp"
#include "evaluate/special.hpp"
#include "evaluate/t5_bucket.hpp"

namespace farfield::evaluate {
namespace {

/// numerics::round_to() of one number, compiled for this instruction set alone.
struct FormatLane {
    int lowest;
    int highest;
    int mantissa_bits;
    double largest;
    double beyond;

    constexpr explicit FormatLane(const numerics::Format& format)
        : lowest(numerics::lowest_exponent(format)),
          highest(numerics::highest_exponent(format)),
          mantissa_bits(format.mantissa_bits),
          largest(numerics::largest_finite(format)),
          beyond(format.overflow == numerics::OverflowRule::infinite ? __builtin_inf() : __builtin_nan("")) {}

    double rounded(double value) const {
        const double size = __builtin_fabs(value);
        int exponent = static_cast<int>(__builtin_bit_cast(std::uint64_t, size) >> 52) - 1023;
        exponent = exponent < lowest ? lowest : exponent > highest ? highest : exponent;
        const std::uint64_t field = static_cast<unsigned>(exponent + 52 - mantissa_bits + 1023);
        const double shift = __builtin_bit_cast(double, field << 52);
        const double nearest = (size + shift) - shift;
        return __builtin_copysign(nearest > largest ? beyond : nearest, value);
    }
};

template <class Real>
struct Lanes {
    using V = Vector<Real>;
    using M = Vector<Mask<Real>>;

    static constexpr Real infinity = static_cast<Real>(__builtin_inf());

    static V add(V a, V b) { return a + b; }
    static V subtract(V a, V b) { return a - b; }
    static V multiply(V a, V b) { return a * b; }
    static V divide(V a, V b) { return a / b; }
    static V negate(V a) { return -a; }

    static M less(V a, V b) { return a < b; }
    static M less_equal(V a, V b) { return a <= b; }
    static M greater(V a, V b) { return a > b; }
    static M greater_equal(V a, V b) { return a >= b; }
    static M equals(V a, V b) { return a == b; }
    static M differs(V a, V b) { return a != b; }
    static M logical_not(M a) { return ~a; }
    static M logical_and(M a, M b) { return a & b; }
    static M logical_or(M a, M b) { return a | b; }
    static V select(M condition, V a, V b) { return condition ? a : b; }

    static V absolute(V x) { return bits(bits(x) & ~sign_bit()); }
    static V with_sign_of(V magnitude, V sign) {
        return bits((bits(magnitude) & ~sign_bit()) | (bits(sign) & sign_bit()));
    }
    static V square_root(V x) { return root_of(x); }
    static V floor(V x) { return floor_of(x); }
    static V ceiling(V x) { return -floor_of(-x); }
    static V round(V x) { return nearest_of(x); }
    static V sign(V x) {
        const V zero{};
        const V one = zero + Real{1};
        return x != x ? x : (x > zero ? one : zero) - (x < zero ? one : zero);
    }
    static V minimum(V a, V b) { return ((a != a) | (a < b)) ? a : b; }
    static V maximum(V a, V b) { return ((a != a) | (a > b)) ? a : b; }
    static V clamp(V x, V low, V high) { return minimum(maximum(x, low), high); }

    static V arctangent(V y, V x) { return atan2_of(y, x); }
    /// SLEEF's function overflows a little too early, so infinite results of finite numbers are checked again.
    static V power(V a, V b) {
        V result = pow_of(a, b);
        const M doubtful = (absolute(result) == infinity) & (absolute(a) < infinity) & (absolute(b) < infinity);
        for (std::size_t i = 0; i < width<Real>; ++i) {
            if (doubtful[i]) result[i] = power_of_one(a[i], b[i]);
        }
        return result;
    }

    static V softplus(V x) { return maximum(x, V{}) + logarithm_one_plus_of(exponential_of(-absolute(x))); }
    static V sigmoid(V x) {
        const V one = V{} + Real{1};
        const V power_below_one = exponential_of(-absolute(x));
        return (x < V{} ? power_below_one : one) / (one + power_below_one);
    }

    /// Remainders of a by |b|, mirrored for b < 0. A fused product gives the exact remainder for the quotient, which is
    /// one too large if the division was rounded up to it, and never too small. Quotients that are too large for this,
    /// and numbers that are not finite, are computed lane by lane.
    static V modulo(V a, V b) {
        const V period = absolute(b);
        const V mirrored = b < V{} ? -a : a;
        const V quotient = floor_of(mirrored / period);
        V remainder = fused(-quotient, period, mirrored);
        remainder = remainder < V{} ? remainder + period : remainder;
        V result = with_sign_of(remainder, b);
        const M easy = (absolute(quotient) < largest_quotient()) & (period < infinity);
        for (std::size_t i = 0; i < width<Real>; ++i) {
            if (!easy[i]) result[i] = modulo_of_one(a[i], b[i]);
        }
        return result;
    }

#define FARFIELD_LANES_sleef(name, stem) stem##_of
#define FARFIELD_LANES_own(name, stem) name##_of
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) \
    static V name(V x) {                                          \
        return FARFIELD_LANES_##lanes(name, stem)(x);             \
    }
#include <farfield/numerics/functions.def>
#undef FARFIELD_LANES_sleef
#undef FARFIELD_LANES_own
#define FORMAT(name, alias, exponent_bits, mantissa_bits, overflow, source)                           \
    static V to_##name(V x) {                                                                         \
        constexpr FormatLane format(numerics::known::name);                                           \
        for (std::size_t i = 0; i < width<Real>; ++i) x[i] = static_cast<Real>(format.rounded(x[i])); \
        return x;                                                                                     \
    }
#include <farfield/numerics/formats.def>

    static V sine_integral(V x) {
        for (std::size_t i = 0; i < width<Real>; ++i) x[i] = static_cast<Real>(evaluate::sine_integral(x[i]));
        return x;
    }
    static V binomial(V n, V k) {
        for (std::size_t i = 0; i < width<Real>; ++i) n[i] = static_cast<Real>(evaluate::binomial(n[i], k[i]));
        return n;
    }
    static V t5_bucket(V n, V buckets, V max_distance) {
        for (std::size_t i = 0; i < width<Real>; ++i) {
            n[i] = static_cast<Real>(evaluate::t5_bucket(n[i], buckets[i], max_distance[i]));
        }
        return n;
    }

    static V sum(V accumulator, V body) {
        return accumulator + body;
    }
    static V product(V accumulator, V body) {
        return accumulator * body;
    }
    static M for_all(M accumulator, M body) {
        return accumulator & body;
    }
    static M for_some(M accumulator, M body) {
        return accumulator | body;
    }

private:
    static M bits(V x) {
        return reinterpret_cast<M>(x);
    }
    static V bits(M x) {
        return reinterpret_cast<V>(x);
    }
    static M sign_bit() {
        return bits(-V{});
    }
    static Real largest_quotient() {
        return sizeof(Real) == 8 ? static_cast<Real>(0x1p52) : static_cast<Real>(0x1p22);
    }

    static Real power_of_one(Real a, Real b) {
        return sizeof(Real) == 8 ? static_cast<Real>(__builtin_pow(a, b)) : static_cast<Real>(__builtin_powf(a, b));
    }

    static Real modulo_of_one(Real a, Real b) {
        const Real remainder =
            sizeof(Real) == 8 ? static_cast<Real>(__builtin_fmod(a, b)) : static_cast<Real>(__builtin_fmodf(a, b));
        if (remainder == 0) return __builtin_copysign(remainder, b);
        return (remainder < 0) == (b < 0) ? remainder : remainder + b;
    }
};

}  // namespace
}  // namespace farfield::evaluate
