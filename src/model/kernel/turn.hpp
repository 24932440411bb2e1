// Rotation of queries and keys before attention, and of their gradients after it. Only for kernel.cpp.
#pragma once

#include "model/kernel/elementwise.hpp"

namespace farfield::model {
namespace {

template <class Real>
void turn_pairs(Real* y, const Real* x, const Real* cosine, const Real* sine, std::size_t rotated) {
    std::size_t j = 0;
    for (; j + width<Real> <= rotated; j += width<Real>) {
        const Vector<Real> here = load(x + j);
        store<Real>(y + j, here * load(cosine + j) + exchanged<1, Real>(here) * load(sine + j));
    }
    for (; j < rotated; j += 2) {
        const Real first = x[j];
        const Real second = x[j + 1];
        y[j] = first * cosine[j] + second * sine[j];
        y[j + 1] = second * cosine[j + 1] + first * sine[j + 1];
    }
}

template <class Real>
void turn_halves(Real* y, const Real* x, const Real* cosine, const Real* sine, std::size_t rotated) {
    const std::size_t half = rotated / 2;
    std::size_t j = 0;
    for (; j + width<Real> <= half; j += width<Real>) {
        const Vector<Real> first = load(x + j);
        const Vector<Real> second = load(x + j + half);
        store<Real>(y + j, first * load(cosine + j) + second * load(sine + j));
        store<Real>(y + j + half, second * load(cosine + j + half) + first * load(sine + j + half));
    }
    for (; j < half; ++j) {
        const Real first = x[j];
        const Real second = x[j + half];
        y[j] = first * cosine[j] + second * sine[j];
        y[j + half] = second * cosine[j + half] + first * sine[j + half];
    }
}

/// y = factor x.
template <class Real>
void scale_row(Real* y, const Real* x, Real factor, std::size_t count) {
    std::size_t j = 0;
    for (; j + width<Real> <= count; j += width<Real>) store<Real>(y + j, load(x + j) * factor);
    for (; j < count; ++j) y[j] = x[j] * factor;
}

/// Rows of whole vectors that are not rotated.
template <class Real>
void scale_rows(const Turn<Real>& task) {
    const Turn<Real> t = task;  // see normalise_short_rows
    for (std::size_t row = 0; row < t.rows; ++row) {
        const Real* const x = t.from + row * t.from_row;
        Real* const y = t.to + row * t.to_row;
        const Vector<Real> factor = broadcast(t.factor != nullptr ? t.factor[row] : Real{1});
        for (std::size_t j = 0; j < t.dim; j += width<Real>) store<Real>(y + j, load(x + j) * factor);
    }
}

template <class Real>
void turn_rows(const Turn<Real>& task) {
    if (task.rotated == 0 && task.dim == task.wide && task.dim % width<Real> == 0) return scale_rows(task);
    const Turn<Real> t = task;
    for (std::size_t row = 0; row < t.rows; ++row) {
        const Real* const x = t.from + row * t.from_row;
        Real* const y = t.to + row * t.to_row;
        const Real factor = t.factor != nullptr ? t.factor[row] : Real{1};
        if (t.rotated > 0) {
            const auto turn = t.halves ? turn_halves<Real> : turn_pairs<Real>;
            turn(y, x, t.cosine + row * t.rotated, t.sine + row * t.rotated, t.rotated);
            if (t.factor != nullptr) scale_row(y, y, factor, t.rotated);
        }
        scale_row(y + t.rotated, x + t.rotated, factor, t.dim - t.rotated);
        for (std::size_t j = t.dim; j < t.wide; ++j) y[j] = 0;
    }
}

/// The transpose of a rotation exchanges the sines of a pair.
template <class Real>
void turn_pairs_back(Real* x, const Real* y, const Real* cosine, const Real* sine, std::size_t rotated) {
    std::size_t j = 0;
    for (; j + width<Real> <= rotated; j += width<Real>) {
        const Vector<Real> here = load(y + j);
        store<Real>(x + j, here * load(cosine + j) + exchanged<1, Real>(here * load(sine + j)));
    }
    for (; j < rotated; j += 2) {
        const Real first = y[j];
        const Real second = y[j + 1];
        x[j] = first * cosine[j] + second * sine[j + 1];
        x[j + 1] = second * cosine[j + 1] + first * sine[j];
    }
}

template <class Real>
void turn_halves_back(Real* x, const Real* y, const Real* cosine, const Real* sine, std::size_t rotated) {
    const std::size_t half = rotated / 2;
    for (std::size_t j = 0; j < half; ++j) {
        const Real first = y[j];
        const Real second = y[j + half];
        x[j] = first * cosine[j] + second * sine[j + half];
        x[j + half] = second * cosine[j + half] + first * sine[j];
    }
}

template <class Real>
void turn_rows_back(const Turn<Real>& task) {
    if (task.rotated == 0 && task.dim == task.wide && task.dim % width<Real> == 0) return scale_rows(task);
    const Turn<Real> t = task;
    for (std::size_t row = 0; row < t.rows; ++row) {
        const Real* const y = t.from + row * t.from_row;
        Real* const x = t.to + row * t.to_row;
        const Real factor = t.factor != nullptr ? t.factor[row] : Real{1};
        if (t.rotated > 0) {
            const auto turn = t.halves ? turn_halves_back<Real> : turn_pairs_back<Real>;
            turn(x, y, t.cosine + row * t.rotated, t.sine + row * t.rotated, t.rotated);
            if (t.factor != nullptr) scale_row(x, x, factor, t.rotated);
        }
        scale_row(x + t.rotated, y + t.rotated, factor, t.dim - t.rotated);
    }
}

}  // namespace
}  // namespace farfield::model
