// Exponentials, logarithms, sines, cosines and hyperbolic tangents of doubles of usual size within 2 units in the last
// place, in a fraction of the time of SLEEF's functions of u10. SLEEF computes all other arguments (too large,
// infinite, not a number) and floats and, except for exponentials, everything on processors without fused products.
// Only for kernel.cpp; see vector.hpp.
#pragma once

#include "evaluate/kernel/vector.hpp"

namespace farfield::evaluate {
namespace {

using Bits = Vector<std::int64_t>;
using WholeBits = Vector<std::uint64_t>;

inline Bits bits_of(Doubles x) {
    return reinterpret_cast<Bits>(x);
}
inline Doubles from_bits(Bits x) {
    return reinterpret_cast<Doubles>(x);
}

/// a b + c, with one rounding if the processor supports it.
inline Doubles chained(Doubles a, Doubles b, Doubles c) {
#if defined(FARFIELD_FUSED)
    return fused(a, b, c);
#else
    return a * b + c;
#endif
}

/// c[0] + c[1] x + ... + c[count - 1] x^(count - 1), both halves are computed side by side, so that few operations wait
/// for one another.
template <std::size_t count>
inline Doubles polynomial(Doubles x, const double (&c)[count]) {
    static_assert(count >= 5 && count <= 10);
    const Doubles x2 = x * x;
    const auto pair = [&](std::size_t i) {
        return i + 1 < count ? chained(broadcast(c[i + 1]), x, broadcast(c[i])) : broadcast(c[i]);
    };
    const auto four = [&](std::size_t i) { return i + 2 < count ? chained(pair(i + 2), x2, pair(i)) : pair(i); };
    const Doubles x4 = x2 * x2;
    if constexpr (count <= 8) return chained(four(4), x4, four(0));
    return chained(chained(four(8), x4, four(4)), x4, four(0));
}

/// Adding this number rounds to an integer, which is then in the last bits; subtracting it gives the integer as a
/// double.
constexpr double shifter = 0x1.8p52;

/// 2^k for the integer k in the last bits of k + shifter; k from -1022 to 1023.
inline Doubles power_of_two(Doubles shifted) {
    return from_bits((bits_of(shifted) << 52) + bits_of(broadcast(1.0)));
}

/// x = k ln 2 + r with |r| <= ln(2)/2 (1 + 2^-40), each |k| below 2^20.
struct Halvings {
    Doubles shifted;  ///< k + shifter
    Doubles rest;     ///< r, within 2^-55
};

inline Halvings halvings_of(Doubles x) {
    const Doubles shifted = chained(x, broadcast(0x1.71547652b82fep0), broadcast(shifter));
    const Doubles k = shifted - shifter;
    // ln 2 in two parts, so that k times the first is exact.
    const Doubles near = chained(k, broadcast(-0x1.62e42feep-1), x);
    return {shifted, chained(k, broadcast(-0x1.a39ef35793c76p-33), near)};
}

/// (exp(r) - 1 - r)/r^2 for |r| <= ln(2)/2 within 2^-53: minimax.
inline Doubles exponential_rest(Doubles r) {
    constexpr double c[] = {0x1.0000000000001p-1,  0x1.5555555555558p-3,  0x1.5555555553d5dp-5,  0x1.111111110f7fep-7,
                            0x1.6c16c1788e1a8p-10, 0x1.a01a01b00eb5fp-13, 0x1.a019b90490729p-16, 0x1.71ddf6acd6b7dp-19,
                            0x1.28918f74bf08fp-22, 0x1.af6338255dc5cp-26};
    return polynomial(r, c);
}

/// Below it exp(x) is not a normal number.
constexpr double least_usual = -708;

/// exp(x) for x from -708 to 709.
#if defined(__AVX512F__)
/// The bits of 2^(j/16), less j in the last four bits of the exponent and the first of the fraction that 16 k + j is
/// added to.
alignas(64) constexpr std::int64_t sixteenth_powers[16] = {
    0x3ff0000000000000, 0x3fefb5586cf9890f, 0x3fef72b83c7d517b, 0x3fef387a6e756238,
    0x3fef06fe0a31b715, 0x3feedea64c123422, 0x3feebfdad5362a27, 0x3feeab07dd485429,
    0x3feea09e667f3bcd, 0x3feea11473eb0187, 0x3feeace5422aa0db, 0x3feec49182a3f090,
    0x3feee89f995ad3ad, 0x3fef199bdd85529c, 0x3fef5818dcfba487, 0x3fefa4afa2a490da};

/// x = (16 k + j) ln(2)/16 + r with |r| <= ln(2)/32, and exp(x) = 2^k 2^(j/16) (1 + r + r^2 p(r)), p within 2^-43.9.
inline Doubles usual_exponential(Doubles x) {
    constexpr double c[] = {0x1.0000000000001p-1, 0x1.55555554dd2c2p-3, 0x1.55555554b91fep-5, 0x1.11120b10a42e2p-7,
                            0x1.6c181f6b73a23p-10};
    const Doubles shifted = fused(x, broadcast(0x1.71547652b82fep4), broadcast(shifter));
    const Doubles count = shifted - shifter;
    const Doubles near = fused(count, broadcast(-0x1.62e42feep-5), x);
    const Doubles r = fused(count, broadcast(-0x1.a39ef35793c76p-37), near);
    const Doubles power = from_bits(entry_of(sixteenth_powers, bits_of(shifted)) + (bits_of(shifted) << 48));
    return fused(power, fused(polynomial(r, c), r * r, r), power);
}
#else
inline Doubles usual_exponential(Doubles x) {
    const auto [shifted, r] = halvings_of(x);
    const Doubles fraction = chained(exponential_rest(r), r * r, r) + 1.0;
    return from_bits(bits_of(fraction) + (bits_of(shifted) << 52));
}
#endif

#if defined(FARFIELD_FUSED)

/// a b - c and c - a b, each in one rounding.
inline Doubles product_less(Doubles a, Doubles b, Doubles c) {
    return fused(a, b, -c);
}
inline Doubles less_product(Doubles a, Doubles b, Doubles c) {
    return fused(-a, b, c);
}

/// sin(r) for |r| <= pi/2 (1 + 2^-12), negative where the last bit of `half_turns` is set. sin(r) = r + r^3 s(r^2) with
/// s within 2^-61, minimax.
inline Doubles sine_of_rest(Doubles r, Doubles half_turns) {
    constexpr double first = -0x1.5555555555555p-3;
    constexpr double c[] = {0x1.11111111110c1p-7,   -0x1.a01a01a0148afp-13, 0x1.71de3a5287681p-19,
                            -0x1.ae6454cb2a686p-26, 0x1.6123cb1d6f286p-33,  -0x1.ae431a829c1d6p-41,
                            0x1.88294df180306p-49};
    const Doubles square = r * r;
    const Doubles cube = square * r;
    // The rounding errors of the two products, because half of the result comes from the cubes if r is near pi/2.
    const Doubles lost = fused(product_less(r, r, square), r, product_less(square, r, cube));
    const Doubles s = fused(polynomial(square, c), square, broadcast(first));
    const Doubles sine = fused(cube, s, lost * s) + r;
    return from_bits(bits_of(sine) ^ (bits_of(half_turns) << 63));
}

/// x - count pi, with pi in three parts. The first product has no error, for counts below 2^30 and their halves. The
/// last part matters if x is near a multiple of pi, where at least 2^-62 remains.
inline Doubles less_half_turns(Doubles x, Doubles count) {
    const Doubles near = fused(count, broadcast(-0x1.921fb54442d18p+1), x);
    return fused(count, broadcast(0x1.f1976b7ed8fbcp-109), fused(count, broadcast(-0x1.1a62633145c07p-53), near));
}

constexpr double inverse_of_pi = 0x1.45f306dc9c883p-2;
constexpr double largest_angle = 0x1p30;

/// sin(x) and cos(x) for |x| <= 2^30.
inline Doubles usual_sine(Doubles x) {
    const Doubles shifted = fused(x, broadcast(inverse_of_pi), broadcast(shifter));
    const Doubles sine = sine_of_rest(less_half_turns(x, shifted - shifter), shifted);
    return x == 0.0 ? x : sine;
}
inline Doubles usual_cosine(Doubles x) {
    const Doubles shifted = fused(x, broadcast(inverse_of_pi), broadcast(0.5)) + shifter;
    return sine_of_rest(less_half_turns(x, (shifted - shifter) - 0.5), shifted);
}

/// Sixteen intervals from 0.703125 to 1.40625, 1/32 and above 1.03125 1/16 wide, one of which has 1 in its middle: the
/// inverse of a number c near each's middle, chosen so that log(c) is within 2^-64 of a double, stored in `logarithms`.
struct LogarithmTable {
    double inverses[16];
    double logarithms[16];
};
alignas(64) constexpr LogarithmTable logarithm_table = {
    {0x1.642684p+0, 0x1.553b2cp+0, 0x1.47d2e8p+0, 0x1.3b20b8p+0, 0x1.2f81e8p+0, 0x1.248a94p+0, 0x1.1a75d8p+0,
     0x1.10eed4p+0, 0x1.083ebcp+0, 0x1p+0, 0x1.e1fafp-1, 0x1.c74b28p-1, 0x1.af6a58p-1, 0x1.9967e8p-1, 0x1.85b43p-1,
     0x1.74b448p-1},
    {-0x1.52199bce4467bp-2, -0x1.2647a2112cdd1p-2, -0x1.fa77e3dd3b45fp-3, -0x1.a9937e08a4be8p-3, -0x1.5ca0dd69fbe57p-3,
     -0x1.1142f36c8c0cbp-3, -0x1.92e2a0fce8585p-4, -0x1.0657d7249e737p-4, -0x1.03ae9bf7ed85ep-5, 0,
     0x1.eef927136eefbp-5, 0x1.e0cc247460b08p-4, 0x1.5eb9fcf84b63dp-3, 0x1.c9f8038d6d588p-3, 0x1.177cee87278d1p-2,
     0x1.4529122fce846p-2}};

/// log(x + more) for a normal number x up to 2^1001, where |more| is at most half a unit in the last place of x.
inline Doubles logarithm_of_sum(Doubles x, Doubles more) {
    constexpr double c[] = {0x1.5555555555505p-2, -0x1.00000000003fep-2, 0x1.9999999b44ea0p-3, -0x1.55555549c0f5bp-3,
                            0x1.249233a672ff9p-3, -0x1.00004c3088bafp-3, 0x1.c7f47ab363846p-4, -0x1.98afb9744e8a7p-4};
    constexpr std::int64_t least = 0x3fe6800000000000;  // of 0.703125
    const Bits above = bits_of(x) - least;
    const Bits exponent = above & static_cast<std::int64_t>(0xfff0000000000000);
    const Bits index = reinterpret_cast<Bits>(reinterpret_cast<WholeBits>(above) >> 48);
    const Doubles inverse = entry_of(logarithm_table.inverses, index);
    // x = 2^k z, where the exponent k is read as an integer in the last bits of 2^52 + k.
    const Doubles z = from_bits(bits_of(x) - exponent);
    const Bits biased = reinterpret_cast<Bits>(reinterpret_cast<WholeBits>(above + (std::int64_t{1024} << 52)) >> 52);
    const Doubles k = from_bits(biased | bits_of(broadcast(0x1p52))) - (0x1p52 + 1024);
    const Doubles r = fused(z, inverse, broadcast(-1.0));
    // more/x, of which three digits are enough: 1/(1 + r) is 1 - r + r^2.
    const Doubles share = more * from_bits(bits_of(inverse) - exponent);
    const Doubles added = fused(share * r, r - 1.0, share);
    const Doubles whole = fused(k, broadcast(0x1.62e42fefa39efp-1), entry_of(logarithm_table.logarithms, index));
    const Doubles sum = whole + r;
    const Doubles lost = (whole - sum) + r;
    const Doubles small = fused(k, broadcast(0x1.abc9e3b39803fp-56), lost + added);
    const Doubles curved = fused(polynomial(r, c), r, broadcast(-0.5));
    return fused(r * r, curved, small) + sum;
}

/// log(1 + x) for x above -1, to 2^1000.
inline Doubles usual_logarithm_one_plus(Doubles x) {
    const Doubles larger = x > 1.0 ? x : broadcast(1.0);
    const Doubles smaller = x > 1.0 ? broadcast(1.0) : x;
    const Doubles sum = larger + smaller;
    const Doubles result = logarithm_of_sum(sum, smaller - (sum - larger));
    return x == 0.0 ? x : result;
}

/// 1/x within 2^-50 of itself, for x from 2^-400 to 2^400.
inline Doubles inverse_of(Doubles x) {
#if defined(__AVX512F__)
    // The estimate has 14 bits, and each step doubles them.
    const Doubles first = _mm512_rcp14_pd(x);
    const Doubles second = fused(less_product(x, first, broadcast(1.0)), first, first);
    return fused(less_product(x, second, broadcast(1.0)), second, second);
#else
    return 1.0 / x;
#endif
}

/// tanh(|x|) = -E/(2 + E) with E = exp(-2|x|) - 1 = (2^k - 1) + 2^k p, where -2|x| = k ln 2 + r and p = exp(r) - 1.
inline Doubles usual_hyperbolic_tangent(Doubles x) {
    const Doubles exponent = from_bits(bits_of(x + x) | bits_of(-Doubles{}));
    // Beyond this, the result is 1.
    const auto [shifted, r] = halvings_of(exponent < -40.0 ? broadcast(-40.0) : exponent);
    const Doubles p = fused(exponential_rest(r), r * r, r);
    const Doubles power = power_of_two(shifted);
    // E and 2 + E have two parts each, so that only the roundings of p and of the quotient matter.
    const Doubles whole = power - 1.0;
    const Doubles e = fused(power, p, whole);
    const Doubles e_rest = fused(power, p, whole - e);
    const Doubles below = e + 2.0;
    const Doubles below_rest = ((2.0 - below) + e) + e_rest;
    const Doubles inverse = inverse_of(below);
    const Doubles quotient = e * inverse;
    const Doubles left = less_product(quotient, below, e) + less_product(quotient, below_rest, e_rest);
    const Doubles minus_size = fused(left, inverse, quotient);
    return from_bits((bits_of(minus_size) & ~bits_of(-Doubles{})) | (bits_of(x) & bits_of(-Doubles{})));
}

/// Quotients by one number, rounded once as divisions are, for dividends and divisors of usual size. With 1/b in two
/// parts, the computed x/b is next to the true quotient. The remainder of x is then a double, and with it the quotient
/// is rounded correctly (Markstein 1990: 1/b is rounded to nearest).
class UsualDivisor {
public:
    explicit UsualDivisor(double divisor)
        : divisor_(broadcast(divisor)),
          inverse_(1.0 / divisor_),
          rest_(less_product(divisor_, inverse_, broadcast(1.0)) / divisor_) {}

    static bool is_usual(double divisor) { return __builtin_fabs(divisor) >= least && __builtin_fabs(divisor) <= most; }
    static bool are_usual(Doubles x) { return all_between(from_bits(bits_of(x) & ~bits_of(-Doubles{})), least, most); }

    Doubles divide(Doubles x) const {
        const Doubles quotient = fused(x, inverse_, x * rest_);
        return fused(less_product(quotient, divisor_, x), inverse_, quotient);
    }

private:
    static constexpr double least = 0x1p-400;
    static constexpr double most = 0x1p400;

    Doubles divisor_;
    Doubles inverse_;
    Doubles rest_;
};

#endif

/// log(1 + x) for any x. SLEEF's function overflows for the largest x, for which adding one changes nothing.
inline Doubles general_logarithm_one_plus(Doubles x) {
    return x > 0x1p1000 ? log_of(x) : log1p_of(x);
}
inline Floats logarithm_one_plus_of(Floats x) {
    return x > 0x1p100F ? log_of(x) : log1p_of(x);
}

/// For arguments that are not above 709 and not below -708, where the result is a normal number.
inline Doubles exponential_of(Doubles x) {
    return all_between(x, least_usual, 709) ? usual_exponential(x) : exp_of(x);
}
#if defined(FARFIELD_FUSED)
inline Doubles logarithm_of(Doubles x) {
    return all_between(x, __DBL_MIN__, 0x1p1000) ? logarithm_of_sum(x, Doubles{}) : log_of(x);
}
inline Doubles logarithm_one_plus_of(Doubles x) {
    return all_between(x, -1 + 0x1p-53, 0x1p1000) ? usual_logarithm_one_plus(x) : general_logarithm_one_plus(x);
}
inline Doubles sine_of(Doubles x) {
    return all_between(x, -largest_angle, largest_angle) ? usual_sine(x) : sin_of(x);
}
inline Doubles cosine_of(Doubles x) {
    return all_between(x, -largest_angle, largest_angle) ? usual_cosine(x) : cos_of(x);
}
inline Doubles hyperbolic_tangent_of(Doubles x) {
    return usual_hyperbolic_tangent(x);
}
#else
inline Doubles logarithm_of(Doubles x) {
    return log_of(x);
}
inline Doubles logarithm_one_plus_of(Doubles x) {
    return general_logarithm_one_plus(x);
}
inline Doubles sine_of(Doubles x) {
    return sin_of(x);
}
inline Doubles cosine_of(Doubles x) {
    return cos_of(x);
}
inline Doubles hyperbolic_tangent_of(Doubles x) {
    return tanh_of(x);
}
#endif

inline Floats exponential_of(Floats x) {
    return exp_of(x);
}
inline Floats logarithm_of(Floats x) {
    return log_of(x);
}
inline Floats sine_of(Floats x) {
    return sin_of(x);
}
inline Floats cosine_of(Floats x) {
    return cos_of(x);
}
inline Floats hyperbolic_tangent_of(Floats x) {
    return tanh_of(x);
}

}  // namespace
}  // namespace farfield::evaluate
