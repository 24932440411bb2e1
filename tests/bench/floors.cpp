#include <algorithm>
#include <atomic>
#include <cstring>
#include <farfield/numerics/processors.hpp>

#include "numerics/parallel.hpp"
#include "task.hpp"

namespace farfield::bench {

namespace {

typedef double Eight __attribute__((vector_size(64)));
constexpr std::size_t lanes = sizeof(Eight) / sizeof(double);

constexpr std::size_t stretch = 1 << 15;
constexpr std::size_t prefetched = 1024;  // numbers ahead, for the memory to be what is waited for

// Eight sums side by side, so that additions are not what is waited for.
__attribute__((target_clones("avx512f", "avx2", "default"))) double sum_of(const double* values, std::size_t count) {
    Eight sums[4] = {};
    for (std::size_t i = 0; i + 32 <= count; i += 32) {
        for (std::size_t j = 0; j < 4; ++j) {
            __builtin_prefetch(values + i + 8 * j + prefetched);
            Eight loaded;
            std::memcpy(&loaded, values + i + 8 * j, sizeof loaded);
            sums[j] += loaded;
        }
    }
    double total = 0;
    for (const Eight& sum : sums) {
        for (std::size_t lane = 0; lane < 8; ++lane) total += sum[lane];
    }
    return total;
}

// Multiplications and additions that wait for nothing but each other: side by side, as many as keep two units of the
// widest vectors busy and as fit into the registers, because sums in memory would take ten times as long.
constexpr std::size_t operations = 640'000'000;

typedef double Four __attribute__((vector_size(32)));
typedef double Two __attribute__((vector_size(16)));

template <class Vector, std::size_t chains>
[[gnu::always_inline]] inline double spin(double seed) {
    constexpr std::size_t lanes = sizeof(Vector) / sizeof(double);
    Vector sums[chains];
    for (std::size_t i = 0; i < chains; ++i) sums[i] = Vector{} + seed * static_cast<double>(i);
    const Vector factor = Vector{} + 0.999999;
    const Vector term = Vector{} + 1e-6;
    for (std::size_t round = 0; round < operations / (2 * lanes * chains); ++round) {
#pragma GCC unroll 16
        for (std::size_t i = 0; i < chains; ++i) sums[i] = sums[i] * factor + term;
    }
    double total = 0;
    for (const Vector& sum : sums) {
        for (std::size_t lane = 0; lane < lanes; ++lane) total += sum[lane];
    }
    return total;
}

#if defined(__x86_64__)
__attribute__((target("avx512f"), optimize("fp-contract=fast"))) double spin_avx512(double seed) {
    return spin<Eight, 10>(seed);
}
__attribute__((target("avx2,fma"), optimize("fp-contract=fast"))) double spin_avx2(double seed) {
    return spin<Four, 10>(seed);
}
#endif
__attribute__((optimize("fp-contract=fast"))) double spin_base(double seed) {
    return spin<Two, 10>(seed);
}

double spin_widest(double seed) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return spin_avx512(seed);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return spin_avx2(seed);
#endif
    return spin_base(seed);
}

}  // namespace

// The threads are those of the library, which a floor shares so that no other threads wait beside them.
double read_all(std::span<const double> values) {
    std::atomic<double> total = 0;
    numerics::in_parallel(values.size(), stretch, [&](std::size_t begin, std::size_t end) {
        double sum = 0;
        for (; begin < end; begin += stretch) sum += sum_of(values.data() + begin, std::min(stretch, end - begin));
        total += sum;
    });
    return total;
}

void write_all(std::span<double> values) {
    numerics::in_parallel(values.size(), stretch, [&](std::size_t begin, std::size_t end) {
        std::memset(values.data() + begin, 0, (end - begin) * sizeof(double));
    });
}

void copy_all(std::span<const double> from, std::span<double> to) {
    numerics::in_parallel(to.size(), stretch, [&](std::size_t begin, std::size_t end) {
        std::memcpy(to.data() + begin, from.data() + begin, (end - begin) * sizeof(double));
    });
}

Task floor_task(Arguments) {
    Task task;
    task.work["flops"] = [] {
        const std::size_t threads = numerics::processors();
        std::atomic<double> total = 0;
        numerics::side_by_side(threads, threads, [&](std::size_t) { total += spin_widest(1); });
        if (total == 0) std::abort();
    };
    task.values = [] { return std::vector<double>{static_cast<double>(operations)}; };
    return task;
}

}  // namespace farfield::bench
