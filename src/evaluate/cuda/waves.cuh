// Sums of waves over a range by angle addition, an element at a time: what evaluate/linear_phase.hpp describes, for
// devices. The same text is compiled by nvcc and, for tests, by the host's compiler.
#pragma once

#include <farfield/evaluate/cuda/language.cuh>

#include "evaluate/waves.hpp"

namespace farfield::device {

/// All pointers are to the device's memory. Point `row * columns + column` of the range counts from `from`.
struct WaveTask {
    const evaluate::Wave* waves;
    unsigned long long count;    ///< of waves
    double from;                 ///< the first point, an integer
    double step;                 ///< an integer
    unsigned long long columns;  ///< of the second factor, even
    unsigned long long rows;     ///< of the first factor
    double* left;                ///< [rows, 2 count]
    double* right;               ///< [2 count, columns]
    unsigned long long points;   ///< at most rows * columns
    double* result;              ///< [points]
};

/// An exact multiple of an angle; negative multiples wrap around as well.
FARFIELD_BOTH evaluate::Turns times(evaluate::Turns angle, long long count) {
    return angle * static_cast<evaluate::Turns>(count);
}

/// The angle in [-pi, pi], within 3 roundings of 2^-53 each.
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

/// A exp(s n) cos(w n + p) and -A exp(s n) sin(w n + p) of one wave where a row begins; `at` below rows * count.
FARFIELD_BOTH void fill_left(const WaveTask& task, unsigned long long at) {
    const unsigned long long row = at / task.count;
    const unsigned long long index = at % task.count;
    const evaluate::Wave& wave = task.waves[index];
    const double start = task.from + task.step * static_cast<double>(row * task.columns);
    const double angle = radians(times(wave.frequency, static_cast<long long>(start)) + wave.phase);
    const double size = wave.amplitude * ::exp(wave.rate * start);
    task.left[2 * (row * task.count + index)] = size * ::cos(angle);
    task.left[2 * (row * task.count + index) + 1] = -size * ::sin(angle);
}

/// Points that one thread computes: rows below each other, and two columns half of all apart.
constexpr unsigned rows_a_tile = 8;

FARFIELD_BOTH unsigned long long tiles_of(const WaveTask& task) {
    return (task.rows + rows_a_tile - 1) / rows_a_tile * (task.columns / 2);
}

/// The product's numbers of one tile; `at` below tiles_of(task). Each is one chain of fused additions in the order of
/// the waves: no digit depends on the grid. Rows that are none repeat the last one, and are not written.
FARFIELD_BOTH void fill_tile(const WaveTask& task, unsigned long long at) {
    const unsigned long long half = task.columns / 2;
    const unsigned long long column = at % half;
    const unsigned long long first = at / half * rows_a_tile;
    const unsigned long long inner = 2 * task.count;
    double near[rows_a_tile] = {};
    double far[rows_a_tile] = {};
    const double* left[rows_a_tile];
    for (unsigned j = 0; j < rows_a_tile; ++j) {
        const unsigned long long row = first + j < task.rows ? first + j : task.rows - 1;
        left[j] = task.left + row * inner;
    }
    for (unsigned long long i = 0; i < inner; ++i) {
        const double a = task.right[i * task.columns + column];
        const double b = task.right[i * task.columns + column + half];
        for (unsigned j = 0; j < rows_a_tile; ++j) {
            near[j] = ::fma(left[j][i], a, near[j]);
            far[j] = ::fma(left[j][i], b, far[j]);
        }
    }
    for (unsigned j = 0; j < rows_a_tile; ++j) {
        const unsigned long long point = (first + j) * task.columns + column;
        if (point < task.points) task.result[point] = near[j];
        if (point + half < task.points) task.result[point + half] = far[j];
    }
}

}  // namespace farfield::device
