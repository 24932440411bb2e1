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

/// A Product whose b lies in panels of panel_columns, packed or not: element (k, n) at [n / panel_columns * b_panel +
/// k * b_row + n % panel_columns].
template <class Real>
struct PanelProduct {
    std::size_t rows;
    std::size_t columns;
    std::size_t depth;
    const Real* a;
    std::size_t a_row;
    std::size_t a_column;
    const Real* b;
    std::size_t b_row;
    std::size_t b_panel;
    Real* c;
    std::size_t c_row;
    const Real* bias;
    bool add;
    const Real* slope = nullptr;
};

/// What becomes of sums on their way to c, at `to`.
template <class Real>
inline Vector<Real> finished(const PanelProduct<Real>& p, Vector<Real> sum, const Real* bias, const Real* to) {
    if (bias != nullptr) sum += load(bias);
    if (p.add) sum += load(to);
    if (p.slope != nullptr) sum *= load(p.slope + (to - p.c));
    return sum;
}

/// The same for the first `columns` of a row's vectors.
template <std::size_t vectors, class Real>
inline void finish_part(const PanelProduct<Real>& p, const Vector<Real>* sums, const Real* bias, Real* to,
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
inline void multiply_tile(const PanelProduct<Real>& p, const Real* a, const Real* b, Real* c, const Real* bias,
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
inline void multiply_rows(const PanelProduct<Real>& p, std::size_t row, std::size_t column) {
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
inline void multiply_last_rows(const PanelProduct<Real>& p, std::size_t row, std::size_t count, std::size_t column) {
    if constexpr (rows > 0) {
        if (count == rows) return multiply_rows<rows>(p, row, column);
        multiply_last_rows<rows - 1>(p, row, count, column);
    }
}

template <class Real>
void multiply_rows_of_panel(const PanelProduct<Real>& p, std::size_t row, std::size_t end, std::size_t column) {
    for (; row + tile_rows <= end; row += tile_rows) multiply_rows<tile_rows>(p, row, column);
    multiply_last_rows<tile_rows - 1>(p, row, end - row, column);
}

/// The part of a product over depths [begin, end), to be computed in the order of depth.
template <class Real>
PanelProduct<Real> part_of(const PanelProduct<Real>& whole, std::size_t begin, std::size_t end) {
    PanelProduct<Real> p = whole;
    p.depth = end - begin;
    p.a += begin * p.a_column;
    p.b += begin * p.b_row;
    p.add = whole.add || begin > 0;
    if (begin > 0) p.bias = nullptr;
    if (end < whole.depth) p.slope = nullptr;
    return p;
}

template <class Real>
void multiply(const PanelProduct<Real>& whole) {
    for (std::size_t k = 0; k < whole.depth || k == 0; k += deepest) {
        const PanelProduct<Real> p = part_of(whole, k, whole.depth - k < deepest ? whole.depth : k + deepest);
        for (std::size_t row = 0; row < p.rows; row += rows_at_once) {
            const std::size_t end = p.rows - row < rows_at_once ? p.rows : row + rows_at_once;
            for (std::size_t column = 0; column < p.columns; column += panel_columns<Real>) {
                multiply_rows_of_panel(p, row, end, column);
            }
        }
    }
}

template <class Real>
PanelProduct<Real> in_panels(const Product<Real>& p) {
    constexpr std::size_t panel = panel_columns<Real>;
    return {p.rows, p.columns,       p.depth, p.a,     p.a_row, p.a_column, p.b,
            panel,  p.depth * panel, p.c,     p.c_row, p.bias,  p.add,      p.slope};
}

template <class Real>
void multiply_packed(const Product<Real>& p) {
    multiply(in_panels(p));
}

template <class Real>
std::size_t packed_size(std::size_t depth, std::size_t columns) {
    constexpr std::size_t panel = panel_columns<Real>;
    return (columns + panel - 1) / panel * panel * depth;
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

/// The bf16 nearest to x, halves to even.
inline float rounded_to_bf16(float x) {
    std::uint32_t bits = 0;
    __builtin_memcpy(&bits, &x, sizeof(x));
    bits = (bits + 0x7fffU + ((bits >> 16) & 1U)) & 0xffff0000U;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

inline void pack_rounded(const Packing<float>& p) {
    pack_panels(p);
    const std::size_t count = packed_size<float>(p.depth, p.columns);
    for (std::size_t i = 0; i < count; ++i) p.to[i] = rounded_to_bf16(p.to[i]);
}

/// Both operands rounded to bf16 (b when it was packed), products and sums in float: what processors with instructions
/// for bf16 compute, to the order of the sums.
inline void multiply_rounded(const Product<float>& product) {
    const PanelProduct<float> whole = in_panels(product);
    float a[rows_at_once * deepest];
    for (std::size_t k = 0; k < whole.depth; k += deepest) {
        PanelProduct<float> p = part_of(whole, k, whole.depth - k < deepest ? whole.depth : k + deepest);
        const float* const from = p.a;
        p.a = a;
        p.a_row = p.depth;
        p.a_column = 1;
        for (std::size_t row = 0; row < whole.rows; row += rows_at_once) {
            p.rows = whole.rows - row < rows_at_once ? whole.rows - row : rows_at_once;
            for (std::size_t r = 0; r < p.rows; ++r) {
                for (std::size_t j = 0; j < p.depth; ++j) {
                    a[r * p.depth + j] = rounded_to_bf16(from[(row + r) * whole.a_row + j * whole.a_column]);
                }
            }
            p.c = whole.c + row * whole.c_row;
            if (p.slope != nullptr) p.slope = whole.slope + row * whole.c_row;
            multiply(p);
        }
    }
}

}  // namespace
}  // namespace farfield::model
