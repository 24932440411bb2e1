// Exponentials of what is not above zero, as a softmax needs them, in half the time of the general function, and sums
// over them. Only for kernel.cpp.
#pragma once

#include "evaluate/kernel/kernel.hpp"
#include "evaluate/kernel/vector.hpp"

namespace farfield::evaluate {
namespace {

// a b + c, in one rounding where the processor has it.
inline Doubles chained(Doubles a, Doubles b, Doubles c) {
#if defined(__FMA__) || defined(__AVX512F__)
    return fused(a, b, c);
#else
    return a * b + c;
#endif
}

// Results below the normal numbers, infinities and NaN are left to the function that knows them.
constexpr double least_usual = -708;

// exp(x) for x from -708 to 0 within 2 units in the last place. x = k ln 2 + r with |r| <= ln(2)/2, and
// exp(r) = 1 + r + r^2 p(r) with p of degree 9, which interpolates at Chebyshev's points: 1.6e-17 off.
inline Doubles usual_weight_of(Doubles x) {
    using Bits = Vector<std::int64_t>;
    const Doubles shifter = broadcast(0x1.8p52);  // leaves a rounded whole number in the last bits
    const Doubles shifted = chained(x, broadcast(0x1.71547652b82fep0), shifter);
    const Doubles k = shifted - shifter;
    // ln 2 in two parts, so that k times the first is exact.
    const Doubles r = chained(k, broadcast(-0x1.a39ef35793c76p-33), chained(k, broadcast(-0x1.62e42feep-1), x));
    const Doubles r2 = r * r;
    const Doubles r4 = r2 * r2;
    const Doubles low = chained(chained(broadcast(0x1.11111111109b5p-7), r, broadcast(0x1.5555555553d68p-5)), r2,
                                chained(broadcast(0x1.5555555555556p-3), r, broadcast(0x1.0000000000001p-1)));
    const Doubles high = chained(chained(broadcast(0x1.71de0db2eb873p-19), r, broadcast(0x1.a019b914881bap-16)), r2,
                                 chained(broadcast(0x1.a01a01a7c2f2cp-13), r, broadcast(0x1.6c16c17889f3cp-10)));
    const Doubles top = chained(broadcast(0x1.af389eea54156p-26), r, broadcast(0x1.28917c9f3a495p-22));
    const Doubles p = chained(chained(top, r4, high), r4, low);
    const Doubles fraction = chained(p, r2, r) + 1.0;
    // k into the exponent: the result is a normal number.
    return reinterpret_cast<Doubles>(reinterpret_cast<Bits>(fraction) + (reinterpret_cast<Bits>(shifted) << 52));
}

constexpr std::size_t prefetched = 1024;
constexpr std::size_t weighed_at_once = lane_multiple / width<double>;

inline void weigh(double* out, const double* x, double scale, double shift, std::size_t lanes) {
    const Doubles scales = broadcast(scale);
    const Doubles shifts = broadcast(shift);
    for (std::size_t begin = 0; begin < lanes; begin += lane_multiple) {
        // What the next blocks will ask for comes while this one computes.
        for (std::size_t i = 0; i < lane_multiple; i += 8) __builtin_prefetch(x + begin + i + prefetched);
        Doubles exponents[weighed_at_once];
        Vector<std::int64_t> usual = ~Vector<std::int64_t>{};
        for (std::size_t i = 0; i < weighed_at_once; ++i) {
            exponents[i] = load(x + begin + i * width<double>) * scales - shifts;
            usual &= exponents[i] >= broadcast(least_usual);
        }
        const bool all_usual = all_hold(usual);
        for (std::size_t i = 0; i < weighed_at_once; ++i) {
            const Doubles weights = all_usual ? usual_weight_of(exponents[i]) : exp_of(exponents[i]);
            store<double>(out + begin + i * width<double>, weights);
        }
    }
}

inline double largest_scaled(const double* x, double scale, std::size_t lanes) {
    const Doubles scales = broadcast(scale);
    Doubles largest[lane_multiple / width<double>];
    for (std::size_t i = 0; i < std::size(largest); ++i) largest[i] = load(x + i * width<double>) * scales;
    for (std::size_t begin = lane_multiple; begin < lanes; begin += lane_multiple) {
        for (std::size_t i = 0; i < std::size(largest); ++i) {
            const Doubles next = load(x + begin + i * width<double>) * scales;
            largest[i] = largest[i] > next ? largest[i] : next;
        }
    }
    double found = largest[0][0];
    for (const Doubles& lanes_of : largest) {
        for (std::size_t lane = 0; lane < width<double>; ++lane)
            found = found > lanes_of[lane] ? found : lanes_of[lane];
    }
    return found;
}

// Sixteen sums side by side whatever the width of a vector, so that the digits do not depend on it.
struct Sixteen {
    static constexpr std::size_t vectors = lane_multiple / width<double>;
    Doubles sums[vectors] = {};

    double total() const {
        double lanes[lane_multiple];
        for (std::size_t i = 0; i < vectors; ++i) store<double>(lanes + i * width<double>, sums[i]);
        for (std::size_t half = lane_multiple / 2; half > 0; half /= 2) {
            for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
        }
        return lanes[0];
    }
};

inline WeightSums sum_weights(const double* weights, std::size_t lanes) {
    Sixteen total;
    Sixteen squares;
    Sixteen falls;
    for (std::size_t begin = 0; begin < lanes; begin += lane_multiple) {
        for (std::size_t i = 0; i < Sixteen::vectors; ++i) {
            const double* const at = weights + begin + i * width<double>;
            const Doubles here = load(at);
            total.sums[i] += here;
            squares.sums[i] += here * here;
            falls.sums[i] += here * (here - load(at + 1));
        }
    }
    return {total.total(), squares.total(), falls.total()};
}

}  // namespace
}  // namespace farfield::evaluate
