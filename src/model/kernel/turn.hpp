// Rotation of queries and keys on their way into attention and back. Only for kernel.cpp.
#pragma once

#include "model/kernel/elementwise.hpp"

namespace farfield::model {
namespace {

template <class Real>
void turn_pairs(Real* y, const Real* x, const Real* cosine, const Real* sine, std::size_t rotated) {
    for (std::size_t j = 0; j < rotated; j += 2) {
        const Real first = x[j];
        const Real second = x[j + 1];
        y[j] = first * cosine[j] + second * sine[j];
        y[j + 1] = second * cosine[j + 1] + first * sine[j + 1];
    }
}

template <class Real>
void turn_halves(Real* y, const Real* x, const Real* cosine, const Real* sine, std::size_t rotated) {
    const std::size_t half = rotated / 2;
    for (std::size_t j = 0; j < half; ++j) {
        const Real first = x[j];
        const Real second = x[j + half];
        y[j] = first * cosine[j] + second * sine[j];
        y[j + half] = second * cosine[j + half] + first * sine[j + half];
    }
}

template <class Real>
void turn_rows(const Turn<Real>& t) {
    for (std::size_t row = 0; row < t.rows; ++row) {
        const Real* const x = t.from + row * t.from_row;
        Real* const y = t.to + row * t.to_row;
        if (t.rotated > 0) {
            const auto turn = t.halves ? turn_halves<Real> : turn_pairs<Real>;
            turn(y, x, t.cosine + row * t.rotated, t.sine + row * t.rotated, t.rotated);
        }
        for (std::size_t j = t.rotated; j < t.dim; ++j) y[j] = x[j];
        for (std::size_t j = t.dim; j < t.wide; ++j) y[j] = 0;
        if (t.factor == nullptr) continue;
        const Real factor = t.factor[row];
        for (std::size_t j = 0; j < t.dim; ++j) y[j] *= factor;
    }
}

/// The transpose of a turn takes a pair's sines crosswise.
template <class Real>
void turn_rows_back(const Turn<Real>& t) {
    const std::size_t half = t.rotated / 2;
    for (std::size_t row = 0; row < t.rows; ++row) {
        const Real* const y = t.from + row * t.from_row;
        Real* const x = t.to + row * t.to_row;
        const Real* const cosine = t.cosine + row * t.rotated;
        const Real* const sine = t.sine + row * t.rotated;
        for (std::size_t i = 0; i < half; ++i) {
            const std::size_t j = t.halves ? i : 2 * i;
            const std::size_t partner = t.halves ? i + half : 2 * i + 1;
            x[j] = y[j] * cosine[j] + y[partner] * sine[partner];
            x[partner] = y[partner] * cosine[partner] + y[j] * sine[j];
        }
        for (std::size_t j = t.rotated; j < t.dim; ++j) x[j] = y[j];
        if (t.factor == nullptr) continue;
        const Real factor = t.factor[row];
        for (std::size_t j = 0; j < t.dim; ++j) x[j] *= factor;
    }
}

template <class Real>
void transpose_rows(const Real* from, std::size_t rows, std::size_t columns, std::size_t from_row, Real* to,
                    std::size_t to_row) {
    for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t m = 0; m < rows; ++m) to[j * to_row + m] = from[m * from_row + j];
    }
}

}  // namespace
}  // namespace farfield::model
