// Learned vectors of the clipped distance, within one tile of attention. Only for kernel.cpp.
#pragma once

#include "model/kernel/elementwise.hpp"

namespace farfield::model {
namespace {

/// Rows of a tile: queries from `query` on, keys from `key` on.
struct TilePlace {
    std::size_t query;
    std::size_t rows;
    std::size_t key;
    std::size_t begin;
    std::size_t end;
};

/// The keys of a tile by their distance from one query: [begin, far) at the clip or further, [far, ahead) each with its
/// own distance, [ahead, end) at the nearest class or ahead of it.
struct Stretches {
    std::size_t far;
    std::size_t ahead;
    std::size_t class_of_zero;  ///< the class of key k in between is class_of_zero - k
    std::size_t last_class;
};

template <class Real>
Stretches stretches_of(const RelativeView<Real>& relative, const TilePlace& at, std::size_t row) {
    const std::size_t q = at.query + row;
    const std::size_t offset = relative.causal ? 0 : relative.clip;
    const auto inside = [&at](std::size_t key, std::size_t least) {
        const std::size_t k = key > at.key ? key - at.key : 0;
        return k < least ? least : k > at.end ? at.end : k;
    };
    const std::size_t far = inside(q + 1 > relative.clip ? q + 1 - relative.clip : 0, at.begin);
    return {far, inside(q + offset, far), q + offset - at.key, relative.clip + offset};
}

/// products[r, c] = x[query + r] . vectors[c].
template <class Real>
void products_with_classes(const Head<Real>& head, HeadRows<const Real> x, std::size_t query, std::size_t rows,
                           const Real* vectors, Real* products) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < classes; ++c) {
            const Real* const row = x[query + r];
            const Real* const vector = vectors + c * head.dim;
            products[r * classes + c] = sum_over<Real>(
                head.dim, [&](std::size_t i) { return load(row + i) * load(vector + i); },
                [&](std::size_t i) { return row[i] * vector[i]; });
        }
    }
}

/// x[query + r] += sum_c weights[r, c] vectors[c].
template <class Real>
void add_classes(const Head<Real>& head, HeadRows<Real> x, std::size_t query, std::size_t rows, const Real* vectors,
                 const Real* weights) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        Real* const row = x[query + r];
        for (std::size_t c = 0; c < classes; ++c) {
            const Real weight = weights[r * classes + c];
            for (std::size_t i = 0; i < head.dim; ++i) row[i] += weight * vectors[c * head.dim + i];
        }
    }
}

/// vectors[c] += sum_r weights[r, c] x[query + r].
template <class Real>
void add_to_classes(const Head<Real>& head, HeadRows<const Real> x, std::size_t query, std::size_t rows,
                    const Real* weights, Real* vectors) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        const Real* const row = x[query + r];
        for (std::size_t c = 0; c < classes; ++c) {
            const Real weight = weights[r * classes + c];
            for (std::size_t i = 0; i < head.dim; ++i) vectors[c * head.dim + i] += weight * row[i];
        }
    }
}

/// tile[r, k] += products[r, class].
template <class Real>
void spread_classes(const Head<Real>& head, const TilePlace& at, const Real* products, Real* tile) {
    for (std::size_t r = 0; r < at.rows; ++r) {
        const Stretches s = stretches_of(head.relative, at, r);
        const Real* const own = products + r * head.relative.classes();
        Real* const row = tile + r * key_tile;
        for (std::size_t k = at.begin; k < s.far; ++k) row[k] += own[s.last_class];
        for (std::size_t k = s.far; k < s.ahead; ++k) row[k] += own[s.class_of_zero - k];
        for (std::size_t k = s.ahead; k < at.end; ++k) row[k] += own[0];
    }
}

template <class Real>
Real sum_in(const Real* x, std::size_t begin, std::size_t end) {
    return sum_over<Real>(
        end - begin, [&](std::size_t i) { return load(x + begin + i); }, [&](std::size_t i) { return x[begin + i]; });
}

/// sums[r, class] += tile[r, k].
template <class Real>
void collect_classes(const Head<Real>& head, const TilePlace& at, const Real* tile, Real* sums) {
    for (std::size_t r = 0; r < at.rows; ++r) {
        const Stretches s = stretches_of(head.relative, at, r);
        Real* const own = sums + r * head.relative.classes();
        const Real* const row = tile + r * key_tile;
        own[s.last_class] += sum_in(row, at.begin, s.far);
        for (std::size_t k = s.far; k < s.ahead; ++k) own[s.class_of_zero - k] += row[k];
        own[0] += sum_in(row, s.ahead, at.end);
    }
}

}  // namespace
}  // namespace farfield::model
