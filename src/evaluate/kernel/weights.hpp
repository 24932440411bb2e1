// Softmax weights of a row and sums over them. Only for kernel.cpp.
#pragma once

#include "evaluate/kernel/functions.hpp"
#include "evaluate/kernel/kernel.hpp"
#include "evaluate/kernel/vector.hpp"

namespace farfield::evaluate {
namespace {

constexpr std::size_t prefetched = 2048;

/// Prefetches the data of the next blocks while this one is computed.
inline void prefetch(const double* x) {
    for (std::size_t i = 0; i < width<double>; i += 8) __builtin_prefetch(x + i + prefetched);
}

inline Ends ends_of(const double* x, std::size_t lanes) {
    constexpr std::size_t vectors = lane_multiple / width<double>;
    Doubles least[vectors];
    Doubles most[vectors];
    for (std::size_t i = 0; i < vectors; ++i) least[i] = most[i] = load(x + i * width<double>);
    for (std::size_t begin = lane_multiple; begin < lanes; begin += lane_multiple) {
        for (std::size_t i = 0; i < vectors; ++i) {
            const Doubles next = load(x + begin + i * width<double>);
            least[i] = least[i] < next ? least[i] : next;
            most[i] = most[i] > next ? most[i] : next;
        }
    }
    Ends ends{least[0][0], most[0][0]};
    for (std::size_t i = 0; i < vectors; ++i) {
        for (std::size_t lane = 0; lane < width<double>; ++lane) {
            ends.least = ends.least < least[i][lane] ? ends.least : least[i][lane];
            ends.most = ends.most > most[i][lane] ? ends.most : most[i][lane];
        }
    }
    return ends;
}

// Rounding errors of long sums stay small if parts of the sum are added up separately.
constexpr std::size_t added_at_once = 256;

// Sixteen sums side by side for every vector width, so that the digits do not depend on the width.
struct Sixteen {
    static constexpr std::size_t vectors = lane_multiple / width<double>;
    Doubles sums[vectors] = {};

    void add(const Sixteen& other) {
        for (std::size_t i = 0; i < vectors; ++i) sums[i] += other.sums[i];
    }

    double total() const {
        double lanes[lane_multiple];
        for (std::size_t i = 0; i < vectors; ++i) store<double>(lanes + i * width<double>, sums[i]);
        for (std::size_t half = lane_multiple / 2; half > 0; half /= 2) {
            for (std::size_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
        }
        return lanes[0];
    }
};

// A loop for exponentials that are normal numbers, which calls no other function, and a loop for all exponentials.
template <Doubles exponential(Doubles)>
WeightSums sum_weights_by(const double* x, double scale, double shift, std::size_t lanes) {
    const Doubles scales = broadcast(scale);
    const Doubles minus_shifts = broadcast(-shift);
    const auto weight = [&](std::size_t at) { return exponential(chained(load(x + at), scales, minus_shifts)); };
    Sixteen total;
    Sixteen squares;
    Sixteen falls;
    Doubles here = weight(0);
    for (std::size_t start = 0; start < lanes; start += added_at_once) {
        const std::size_t end = start + added_at_once < lanes ? start + added_at_once : lanes;
        Sixteen part;
        Sixteen part_of_squares;
        Sixteen part_of_falls;
        for (std::size_t begin = start; begin < end; begin += lane_multiple) {
            for (std::size_t i = 0; i < Sixteen::vectors; ++i) {
                prefetch(x + begin + i * width<double>);
                const Doubles next = weight(begin + (i + 1) * width<double>);
                part.sums[i] += here;
                part_of_squares.sums[i] = chained(here, here, part_of_squares.sums[i]);
                part_of_falls.sums[i] = chained(here, here - one_lane_on(here, next), part_of_falls.sums[i]);
                here = next;
            }
        }
        total.add(part);
        squares.add(part_of_squares);
        falls.add(part_of_falls);
    }
    return {total.total(), squares.total(), falls.total()};
}

inline WeightSums sum_weights(const double* x, double scale, double shift, double least, std::size_t lanes) {
    if (least - shift >= least_usual) return sum_weights_by<usual_exponential>(x, scale, shift, lanes);
    return sum_weights_by<exponential_of>(x, scale, shift, lanes);
}

template <Doubles exponential(Doubles)>
double share_out_by(double* out, double* running, const double* x, const Shares& shares, std::size_t lanes) {
    const Doubles shifts = broadcast(shares.shift);
    const Doubles factors = broadcast(shares.share);
    const Doubles before = broadcast(shares.before);
    Doubles passed = {};
    for (std::size_t at = 0; at < lanes; at += width<double>) {
        prefetch(x + at);
        const Doubles weights = exponential(load(x + at) - shifts) * factors;
        store<double>(out + at, weights);
        if (running == nullptr) continue;
        const Doubles sums = running_sums_of(weights);
        store<double>(running + at, before + (passed + sums));
        passed += last_lane_of(sums);
    }
    return (before + passed)[0];
}

inline double share_out(double* out, double* running, const double* x, const Shares& shares, std::size_t lanes) {
    if (ends_of(x, lanes).least - shares.shift >= least_usual)
        return share_out_by<usual_exponential>(out, running, x, shares, lanes);
    return share_out_by<exponential_of>(out, running, x, shares, lanes);
}

/// Bypasses the caches. Otherwise, data larger than the caches would be read from memory before it is overwritten.
inline void stream(const double* from, double* to, std::size_t count) {
    std::size_t i = 0;
    for (; i < count && reinterpret_cast<std::uintptr_t>(to + i) % vector_bytes != 0; ++i) to[i] = from[i];
    for (; i + width<double> <= count; i += width<double>) store_past_caches(to + i, load(from + i));
    for (; i < count; ++i) to[i] = from[i];
}

}  // namespace
}  // namespace farfield::evaluate
