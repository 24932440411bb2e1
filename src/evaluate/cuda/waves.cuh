// Sums of waves over a range by angle addition on a device, one element at a time (see evaluate/linear_phase.hpp). nvcc
// compiles this file, and for tests the host's compiler.
#pragma once

#include <farfield/evaluate/cuda/language.cuh>

#include "evaluate/waves.hpp"

namespace farfield::device {

/// The factors of a row for one wave: A exp(s n) cos(w n + p) and -A exp(s n) sin(w n + p), where n is the row's first
/// point.
struct alignas(16) WaveStart {
    double cosine;
    double sine;
};

/// All pointers point to device memory. Point `row * columns + column` of the range counts from `from`.
struct WaveTask {
    const evaluate::Wave* waves;
    unsigned long long count;    ///< of waves
    double from;                 ///< the first point, an integer
    double step;                 ///< an integer
    unsigned long long columns;  ///< of the second factor, a power of 2, at least columns_a_thread
    unsigned long long rows;     ///< of the first factor, a multiple of rows_a_thread
    WaveStart* left;             ///< [rows, count]
    double* right;               ///< [2 count, columns]
    unsigned long long points;   ///< at most rows * columns
    double* result;              ///< [points]
};

/// The exact multiple of an angle. Negative multiples wrap around too.
FARFIELD_BOTH evaluate::Turns times(evaluate::Turns angle, long long count) {
    return angle * static_cast<evaluate::Turns>(count);
}

/// The angle in radians in [-pi, pi], with 3 rounding errors of 2^-53 each.
FARFIELD_BOTH double radians(evaluate::Turns angle) {
    return static_cast<double>(static_cast<long long>(angle >> 64)) * (6.283185307179586 * 0x1p-64);
}

/// exp(s b) cos(w b) and exp(s b) sin(w b) for one wave and column; `at` below count * columns.
FARFIELD_BOTH void fill_right(const WaveTask& task, unsigned long long at) {
    const unsigned long long index = at / task.columns;
    const unsigned long long column = at % task.columns;
    const evaluate::Wave& wave = task.waves[index];
    const double distance = task.step * static_cast<double>(column);
    const double angle = radians(times(wave.frequency, static_cast<long long>(distance)));
    const double envelope = wave.rate != 0 ? ::exp(wave.rate * distance) : 1;
    task.right[2 * index * task.columns + column] = ::cos(angle) * envelope;
    task.right[(2 * index + 1) * task.columns + column] = ::sin(angle) * envelope;
}

/// The factors of one wave at the first point of a row; `at` below rows * count.
FARFIELD_BOTH void fill_left(const WaveTask& task, unsigned long long at) {
    const unsigned long long row = at / task.count;
    const unsigned long long index = at % task.count;
    const evaluate::Wave& wave = task.waves[index];
    const double start = task.from + task.step * static_cast<double>(row * task.columns);
    const double angle = radians(times(wave.frequency, static_cast<long long>(start)) + wave.phase);
    const double size = wave.amplitude * ::exp(wave.rate * start);
    task.left[at] = {size * ::cos(angle), -size * ::sin(angle)};
}

/// The points that one thread computes: consecutive rows, and columns threads_abreast() apart. The thread uses each
/// number that it reads several times.
constexpr unsigned rows_a_thread = 8;
constexpr unsigned columns_a_thread = 4;
constexpr unsigned long long most_threads_abreast = 32;  // a warp, so that it reads adjacent numbers

FARFIELD_BOTH unsigned long long threads_abreast(const WaveTask& task) {
    const unsigned long long all = task.columns / columns_a_thread;
    return all < most_threads_abreast ? all : most_threads_abreast;
}

FARFIELD_BOTH unsigned long long tiles_of(const WaveTask& task) {
    return task.rows / rows_a_thread * (task.columns / columns_a_thread);
}

/// Computes one tile of the product; `at` below tiles_of(task). Each number is one chain of fused multiply-adds in the
/// order of the waves, so its digits do not depend on the grid. Adjacent warps take the same columns, which stay in the
/// cache.
FARFIELD_BOTH void fill_tile(const WaveTask& task, unsigned long long at) {
    const unsigned long long abreast = threads_abreast(task);
    const unsigned long long warp = at / abreast;
    const unsigned long long rows = task.rows / rows_a_thread;
    const unsigned long long first = warp % rows * rows_a_thread;
    const unsigned long long column = warp / rows * abreast * columns_a_thread + at % abreast;
    const WaveStart* const left = task.left + first * task.count;
    const double* right = task.right + column;
    double sums[rows_a_thread][columns_a_thread] = {};
    for (unsigned long long wave = 0; wave < task.count; ++wave) {
        double cosines[columns_a_thread];
        double sines[columns_a_thread];
        for (unsigned i = 0; i < columns_a_thread; ++i) {
            cosines[i] = right[i * abreast];
            sines[i] = right[task.columns + i * abreast];
        }
        right += 2 * task.columns;
        for (unsigned j = 0; j < rows_a_thread; ++j) {
            const WaveStart start = left[j * task.count + wave];
            for (unsigned i = 0; i < columns_a_thread; ++i)
                sums[j][i] = ::fma(start.sine, sines[i], ::fma(start.cosine, cosines[i], sums[j][i]));
        }
    }
    for (unsigned j = 0; j < rows_a_thread; ++j) {
        for (unsigned i = 0; i < columns_a_thread; ++i) {
            const unsigned long long point = (first + j) * task.columns + column + i * abreast;
            if (point < task.points) task.result[point] = sums[j][i];
        }
    }
}

}  // namespace farfield::device
