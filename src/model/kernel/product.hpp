// Matrix products. Only for kernel.cpp: all names are in an unnamed namespace (see evaluate/kernel/vector.hpp).
#pragma once

#include "evaluate/kernel/vector.hpp"
#include "model/kernel/kernels.hpp"

namespace farfield::model {
namespace {

using evaluate::broadcast;
using evaluate::load;
using evaluate::store;
using evaluate::Vector;
using evaluate::width;

#if defined(__AVX512F__)
constexpr std::size_t tile_rows = 12;  // 24 sums, 2 columns and a row in 32 registers
#elif defined(__AVX2__)
constexpr std::size_t tile_rows = 6;  // 12 sums, 2 columns and a row in 16 registers
#else
constexpr std::size_t tile_rows = 4;
#endif
constexpr std::size_t tile_vectors = 2;
constexpr std::size_t deepest = 256;       // of a panel that stays in the first cache
constexpr std::size_t rows_at_once = 192;  // of a that stay in the second

template <class V>
inline V multiply_add(V a, V b, V c) {
#if defined(__AVX2__) || defined(__AVX512F__)
    return evaluate::fused(a, b, c);
#else
    return a * b + c;
#endif
}

template <class Real>
constexpr std::size_t panel_columns = tile_vectors* width<Real>;

/// What becomes of sums on their way to c, at `to`.
template <class Real>
inline Vector<Real> finished(const Product<Real>& p, Vector<Real> sum, const Real* bias, const Real* to) {
    if (bias != nullptr) sum += load(bias);
    if (p.add) sum += load(to);
    if (p.slope != nullptr) sum *= load(p.slope + (to - p.c));
    return sum;
}

/// The same for the first `columns` of a row's vectors.
template <std::size_t vectors, class Real>
inline void finish_part(const Product<Real>& p, const Vector<Real>* sums, const Real* bias, Real* to,
                        std::size_t columns) {
    Real row[vectors * width<Real>];
    for (std::size_t v = 0; v < vectors; ++v) store<Real>(row + v * width<Real>, sums[v]);
    for (std::size_t n = 0; n < columns; ++n) {
        Real value = row[n];
        if (bias != nullptr) value += bias[n];
        if (p.add) value += to[n];
        if (p.slope != nullptr) value *= p.slope[to + n - p.c];
        to[n] = value;
    }
}

/// One tile of rows x (vectors * width) sums; `columns` of them are written.
template <std::size_t rows, std::size_t vectors, class Real>
inline void multiply_tile(const Product<Real>& p, const Real* a, const Real* b, Real* c, const Real* bias,
                          std::size_t columns) {
    using V = Vector<Real>;
    const std::size_t depth = p.depth;
    const std::size_t a_row = p.a_row;
    const std::size_t a_column = p.a_column;
    const std::size_t b_row = p.b_row;
    V sum[rows][vectors];
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = V{};
    }
    for (std::size_t k = 0; k < depth; ++k, a += a_column, b += b_row) {
        V right[vectors];
        for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b + v * width<Real>);
        for (std::size_t r = 0; r < rows; ++r) {
            const V left = broadcast(a[r * a_row]);
            for (std::size_t v = 0; v < vectors; ++v) sum[r][v] = multiply_add(left, right[v], sum[r][v]);
        }
    }
    if (columns < vectors * width<Real>) {
        for (std::size_t r = 0; r < rows; ++r) {
            V copy[vectors];
            for (std::size_t v = 0; v < vectors; ++v) copy[v] = sum[r][v];
            finish_part<vectors, Real>(p, copy, bias, c + r * p.c_row, columns);
        }
        return;
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t v = 0; v < vectors; ++v) {
            Real* const to = c + r * p.c_row + v * width<Real>;
            store<Real>(to, finished<Real>(p, sum[r][v], bias != nullptr ? bias + v * width<Real> : nullptr, to));
        }
    }
}

template <std::size_t rows, class Real>
inline void multiply_rows(const Product<Real>& p, std::size_t row, std::size_t column) {
    const Real* const a = p.a + row * p.a_row;
    const Real* const b = p.b + column / panel_columns<Real> * p.b_panel;
    const Real* const bias = p.bias != nullptr ? p.bias + column : nullptr;
    Real* const c = p.c + row * p.c_row + column;
    const std::size_t left = p.columns - column;
    if (left > width<Real>) {
        multiply_tile<rows, tile_vectors>(p, a, b, c, bias, left < panel_columns<Real> ? left : panel_columns<Real>);
    } else {
        multiply_tile<rows, 1>(p, a, b, c, bias, left);
    }
}

template <std::size_t rows, class Real>
inline void multiply_last_rows(const Product<Real>& p, std::size_t row, std::size_t count, std::size_t column) {
    if constexpr (rows > 0) {
        if (count == rows) return multiply_rows<rows>(p, row, column);
        multiply_last_rows<rows - 1>(p, row, count, column);
    }
}

template <class Real>
void multiply_rows_of_panel(const Product<Real>& p, std::size_t row, std::size_t end, std::size_t column) {
    for (; row + tile_rows <= end; row += tile_rows) multiply_rows<tile_rows>(p, row, column);
    multiply_last_rows<tile_rows - 1>(p, row, end - row, column);
}

template <class Real>
void multiply(const Product<Real>& whole) {
    for (std::size_t k = 0; k < whole.depth || k == 0; k += deepest) {
        Product<Real> p = whole;
        p.depth = whole.depth - k < deepest ? whole.depth - k : deepest;
        p.a += k * p.a_column;
        p.b += k * p.b_row;
        if (k > 0) p.add = true;
        if (k > 0) p.bias = nullptr;
        if (k + deepest < whole.depth) p.slope = nullptr;
        for (std::size_t row = 0; row < p.rows; row += rows_at_once) {
            const std::size_t end = p.rows - row < rows_at_once ? p.rows : row + rows_at_once;
            for (std::size_t column = 0; column < p.columns; column += panel_columns<Real>) {
                multiply_rows_of_panel(p, row, end, column);
            }
        }
    }
}

template <class Real>
void pack_panels(const Packing<Real>& p) {
    constexpr std::size_t panel = panel_columns<Real>;
    for (std::size_t column = 0; column < p.columns; column += panel) {
        const std::size_t count = p.columns - column < panel ? p.columns - column : panel;
        const Real* const from = p.from + column * p.column;
        Real* const to = p.to + column * p.depth;
        if (count == panel && p.column == 1) {
            for (std::size_t k = 0; k < p.depth; ++k) {
                __builtin_memcpy(to + k * panel, from + k * p.row, panel * sizeof(Real));
            }
            continue;
        }
        for (std::size_t k = 0; k < p.depth; ++k) {
            for (std::size_t n = 0; n < panel; ++n) {
                to[k * panel + n] = n < count ? from[k * p.row + n * p.column] : Real{0};
            }
        }
    }
}

}  // namespace
}  // namespace farfield::model
