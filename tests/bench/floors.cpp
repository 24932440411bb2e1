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

// Multiplications and additions of vectors that wait for nothing but each other: as many side by side as keep two units
// of the widest vectors busy.
constexpr std::size_t chains = 8;
constexpr std::size_t rounds = 4'000'000;

__attribute__((target_clones("avx512f", "avx2,fma", "default"), optimize("fp-contract=fast"))) double spin(
    double seed) {
    Eight sums[chains];
    for (std::size_t i = 0; i < chains; ++i) sums[i] = Eight{} + seed * static_cast<double>(i);
    const Eight factor = Eight{} + 0.999999;
    const Eight term = Eight{} + 1e-6;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (Eight& sum : sums) sum = sum * factor + term;
    }
    double total = 0;
    for (const Eight& sum : sums) {
        for (std::size_t lane = 0; lane < lanes; ++lane) total += sum[lane];
    }
    return total;
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
        numerics::side_by_side(threads, threads, [&](std::size_t) { total += spin(1); });
        if (total == 0) std::abort();
    };
    task.values = [] { return std::vector<double>{2.0 * lanes * chains * rounds}; };
    return task;
}

}  // namespace farfield::bench
