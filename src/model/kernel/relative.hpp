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

template <class Real>
std::size_t class_of(const RelativeView<Real>& relative, std::size_t q, std::size_t k) {
    const std::size_t clip = relative.clip;
    if (k > q) {
        if (relative.causal) return 0;
        return k - q > clip ? 0 : clip - (k - q);
    }
    const std::size_t n = q - k > clip ? clip : q - k;
    return relative.causal ? n : n + clip;
}

/// products[r, c] = x[r] . vectors[c].
template <class Real>
void products_with_classes(const Head<Real>& head, const Real* x, std::size_t rows, const Real* vectors,
                           Real* products) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < classes; ++c) {
            Real total = 0;
            for (std::size_t i = 0; i < head.dim; ++i) total += x[r * head.wide + i] * vectors[c * head.dim + i];
            products[r * classes + c] = total;
        }
    }
}

/// x[r] += sum_c weights[r, c] vectors[c].
template <class Real>
void add_classes(const Head<Real>& head, Real* x, std::size_t rows, const Real* vectors, const Real* weights) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < classes; ++c) {
            const Real weight = weights[r * classes + c];
            for (std::size_t i = 0; i < head.dim; ++i) x[r * head.wide + i] += weight * vectors[c * head.dim + i];
        }
    }
}

/// vectors[c] += sum_r weights[r, c] x[r].
template <class Real>
void add_to_classes(const Head<Real>& head, const Real* x, std::size_t rows, const Real* weights, Real* vectors) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < classes; ++c) {
            const Real weight = weights[r * classes + c];
            for (std::size_t i = 0; i < head.dim; ++i) vectors[c * head.dim + i] += weight * x[r * head.wide + i];
        }
    }
}

/// tile[r, k] += products[r, class].
template <class Real>
void spread_classes(const Head<Real>& head, const TilePlace& at, const Real* products, Real* tile) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t k = at.begin; k < at.end; ++k) {
            tile[r * key_tile + k] += products[r * classes + class_of(head.relative, at.query + r, at.key + k)];
        }
    }
}

/// sums[r, class] += tile[r, k].
template <class Real>
void collect_classes(const Head<Real>& head, const TilePlace& at, const Real* tile, Real* sums) {
    const std::size_t classes = head.relative.classes();
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t k = at.begin; k < at.end; ++k) {
            sums[r * classes + class_of(head.relative, at.query + r, at.key + k)] += tile[r * key_tile + k];
        }
    }
}

}  // namespace
}  // namespace farfield::model
