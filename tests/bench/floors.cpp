#include <algorithm>
#include <cstring>

#include "task.hpp"

namespace farfield::bench {

namespace {

constexpr std::size_t stretch = 1 << 15;
constexpr std::size_t prefetched = 1024;  // numbers ahead, for the memory to be what is waited for

// Eight sums side by side, so that additions are not what is waited for.
__attribute__((target_clones("avx512f", "avx2", "default"))) double sum_of(const double* values, std::size_t count) {
    typedef double Eight __attribute__((vector_size(64)));
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

// Multiplications and additions of 12 vectors that wait for nothing but each other: as many as an iteration has flops.
constexpr std::size_t chains = 12;
constexpr std::size_t rounds = 4'000'000;

__attribute__((target_clones("avx512f", "avx2,fma", "default"), optimize("fp-contract=fast"))) double spin(
    double seed) {
    typedef double Four __attribute__((vector_size(32)));
    Four sums[chains];
    for (std::size_t i = 0; i < chains; ++i) sums[i] = Four{} + seed * static_cast<double>(i);
    const Four factor = Four{} + 0.999999;
    const Four term = Four{} + 1e-6;
    for (std::size_t round = 0; round < rounds; ++round) {
        for (Four& sum : sums) sum = sum * factor + term;
    }
    double total = 0;
    for (const Four& sum : sums) total += sum[0] + sum[1] + sum[2] + sum[3];
    return total;
}

}  // namespace

double read_all(std::span<const double> values) {
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (std::size_t begin = 0; begin < values.size(); begin += stretch) {
        total += sum_of(values.data() + begin, std::min(stretch, values.size() - begin));
    }
    return total;
}

void write_all(std::span<double> values) {
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < values.size(); begin += stretch) {
        std::memset(values.data() + begin, 0, std::min(stretch, values.size() - begin) * sizeof(double));
    }
}

void copy_all(std::span<const double> from, std::span<double> to) {
#pragma omp parallel for schedule(static)
    for (std::size_t begin = 0; begin < to.size(); begin += stretch) {
        std::memcpy(to.data() + begin, from.data() + begin, std::min(stretch, to.size() - begin) * sizeof(double));
    }
}

Task floor_task(Arguments) {
    Task task;
    task.work["flops"] = [] {
        double total = 0;
#pragma omp parallel reduction(+ : total)
        total += spin(1);
        if (total == 0) std::abort();
    };
    task.values = [] { return std::vector<double>{2.0 * 4 * chains * rounds}; };
    return task;
}

}  // namespace farfield::bench
