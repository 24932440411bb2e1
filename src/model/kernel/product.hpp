// Matrix products. Only for kernel.cpp: all names are in an unnamed namespace (see evaluate/kernel/vector.hpp).
#pragma once

#include "model/kernel/kernels.hpp"
#include "model/kernel/transpose.hpp"

namespace farfield::model {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t tile_rows = 12;  // 24 sums, 2 columns and a row in 32 registers
#elif defined(__AVX2__)
constexpr std::size_t tile_rows = 6;  // 12 sums, 2 columns and a row in 16 registers
#elif defined(__aarch64__)
constexpr std::size_t tile_rows = 12;  // as with AVX-512, with vectors of a quarter of the width
#else
constexpr std::size_t tile_rows = 4;
#endif
constexpr std::size_t tile_vectors = 2;
constexpr std::size_t deepest = 256;       // of a panel that stays in the L1 cache
constexpr std::size_t rows_at_once = 144;  // of a that stay in the L2 cache
// Of a product with several depths at once: its sums stay in the cache until the next depths add to them.
constexpr std::size_t columns_at_once = 1024;
// If at least this many panels read it, packing a is worth its time: it then occupies fewer pages, and fewer cache
// lines of one set. If its rows are not contiguous, packing is worth its time earlier.
constexpr std::size_t panels_of_packed_rows = 32;
constexpr std::size_t panels_of_packed_columns = 8;

template <class V>
inline V multiply_add(V a, V b, V c) {
#if defined(FARFIELD_FUSED)
    return evaluate::fused(a, b, c);
#else
    return a * b + c;
#endif
}

template <class Real>
constexpr std::size_t panel_columns = tile_vectors* width<Real>;

/// A Product whose b is stored in panels of panel_columns, packed or not: element (k, n) at [n / panel_columns *
/// b_panel + k * b_row + n % panel_columns].
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

/// The distances between elements of a and b: element (r, k) of a at [r * a_row + k * a_column], row k of b at
/// [k * b_row]. Those that are constants cost no addition per k, because the loop over k is unrolled. Another program
/// on the same core leaves a thread half of the instructions of each cycle, so that every addition counts.
struct Strides {
    std::size_t a_row;
    std::size_t a_column;
    std::size_t b_row;
};

/// Of a in its rows.
struct RowStrides {
    std::size_t a_row;
    static constexpr std::size_t a_column = 1;
    std::size_t b_row;
};

/// Of a and b that are both packed.
template <class Real>
struct PackedStrides {
    static constexpr std::size_t a_row = 1;
    static constexpr std::size_t a_column = tile_rows;
    static constexpr std::size_t b_row = panel_columns<Real>;
};

/// A tile whose sums, in rows of `row_numbers`, do not all belong to c: the first `columns` of each row are finished
/// and written one by one.
template <std::size_t row_numbers, class Real>
void finish_part(const PanelProduct<Real>& p, const Real* sums, std::size_t rows, const Real* bias, Real* c,
                 std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
        Real* const to = c + r * p.c_row;
        for (std::size_t n = 0; n < columns; ++n) {
            Real value = sums[r * row_numbers + n];
            if (bias != nullptr) value += bias[n];
            if (p.add) value += to[n];
            if (p.slope != nullptr) value *= p.slope[to + n - p.c];
            to[n] = value;
        }
    }
}

/// Adds the products of `depth` columns of a and rows of b to a tile of sums. Every loop over the tile is unrolled,
/// because otherwise the sums would be stored in memory.
template <std::size_t rows, std::size_t vectors, class Distances, class Real, class V>
[[gnu::always_inline]] inline void add_products(const Distances strides, std::size_t depth, const Real* a,
                                                const Real* b, V* sum) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < depth; ++k, a += strides.a_column, b += strides.b_row) {
        V right[vectors];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; ++v) right[v] = load(b + v * width<Real>);
#pragma GCC unroll 16
        for (std::size_t r = 0; r < rows; ++r) {
            const V left = broadcast(a[r * strides.a_row]);
#pragma GCC unroll 2
            for (std::size_t v = 0; v < vectors; ++v) {
                sum[r * vectors + v] = multiply_add(left, right[v], sum[r * vectors + v]);
            }
        }
    }
}

/// One tile of rows x (vectors * width) sums, of which those in columns of c are written. `a` is its first row.
template <std::size_t rows, std::size_t vectors, class Distances, class Real>
inline void multiply_tile(const PanelProduct<Real>& p, const Distances strides, const Real* a, std::size_t row,
                          std::size_t column) {
    constexpr std::size_t tile_columns = vectors * width<Real>;
    const Real* const bias = p.bias != nullptr ? p.bias + column : nullptr;
    Real* const c = p.c + row * p.c_row + column;
    const std::size_t c_row = p.c_row;
    Vector<Real> sum[rows * vectors];
#pragma GCC unroll 32
    for (std::size_t i = 0; i < rows * vectors; ++i) sum[i] = Vector<Real>{};
#pragma GCC unroll 16
    for (std::size_t r = 0; r < rows; ++r) __builtin_prefetch(c + r * c_row, 1);
    add_products<rows, vectors>(strides, p.depth, a, p.b + column / panel_columns<Real> * p.b_panel, sum);
    const std::size_t columns = p.columns - column;
    if (columns < tile_columns) {
        Real numbers[rows * tile_columns];
#pragma GCC unroll 32
        for (std::size_t i = 0; i < rows * vectors; ++i) store<Real>(numbers + i * width<Real>, sum[i]);
        return finish_part<tile_columns>(p, numbers, rows, bias, c, columns);
    }
    if (bias != nullptr) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < rows * vectors; ++i) sum[i] += load(bias + i % vectors * width<Real>);
    }
    if (p.add) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < rows * vectors; ++i) {
            sum[i] += load(c + i / vectors * c_row + i % vectors * width<Real>);
        }
    }
    if (p.slope != nullptr) {
        const Real* const slope = p.slope + (c - p.c);
#pragma GCC unroll 32
        for (std::size_t i = 0; i < rows * vectors; ++i) {
            sum[i] *= load(slope + i / vectors * c_row + i % vectors * width<Real>);
        }
    }
#pragma GCC unroll 32
    for (std::size_t i = 0; i < rows * vectors; ++i) {
        store<Real>(c + i / vectors * c_row + i % vectors * width<Real>, sum[i]);
    }
}

template <std::size_t rows, class Distances, class Real>
inline void multiply_rows(const PanelProduct<Real>& p, const Distances strides, const Real* a, std::size_t row,
                          std::size_t column) {
    if (p.columns - column > width<Real>) {
        multiply_tile<rows, tile_vectors>(p, strides, a, row, column);
    } else {
        multiply_tile<rows, 1>(p, strides, a, row, column);
    }
}

template <std::size_t rows, class Real>
inline void multiply_last_rows(const PanelProduct<Real>& p, std::size_t row, std::size_t count, std::size_t column) {
    if constexpr (rows > 0) {
        const Strides strides = {p.a_row, p.a_column, p.b_row};
        if (count == rows) return multiply_rows<rows>(p, strides, p.a + row * p.a_row, row, column);
        multiply_last_rows<rows - 1>(p, row, count, column);
    }
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

/// The part of a product over columns [begin, end); begin is a multiple of panel_columns.
template <class Real>
PanelProduct<Real> columns_of(const PanelProduct<Real>& whole, std::size_t begin, std::size_t end) {
    PanelProduct<Real> p = whole;
    p.columns = end - begin;
    p.b += begin / panel_columns<Real> * p.b_panel;
    p.c += begin;
    if (p.bias != nullptr) p.bias += begin;
    if (p.slope != nullptr) p.slope += begin;
    return p;
}

/// Copies the tiles of rows [begin, end) one after the other: element (r, k) of a tile at [k * tile_rows + r].
template <class Real>
void pack_tiles(const PanelProduct<Real>& p, std::size_t begin, std::size_t end, Real* to) {
    for (std::size_t row = begin; row < end; row += tile_rows) {
        const Real* const from = p.a + row * p.a_row;
        for (std::size_t k = 0; k < p.depth; ++k, to += tile_rows) {
#pragma GCC unroll 16
            for (std::size_t r = 0; r < tile_rows; ++r) to[r] = from[r * p.a_row + k * p.a_column];
        }
    }
}

/// Prefetches the panel of b after that of `column` into the L2 cache, a part of it with each of `count` tiles.
template <class Real>
class NextPanel {
public:
    NextPanel(const PanelProduct<Real>& p, std::size_t column, std::size_t count) {
        const bool exists = p.b_row == panel_columns<Real> && column + panel_columns<Real> < p.columns;
        if (!exists || count == 0) return;
        at_ = reinterpret_cast<const char*>(p.b + (column / panel_columns<Real> + 1) * p.b_panel);
        lines_ = (p.depth * panel_columns<Real> * sizeof(Real) / line + count - 1) / count;
    }

    void bring_part() {
        for (std::size_t i = 0; i < lines_; ++i, at_ += line) __builtin_prefetch(at_, 0, 2);
    }

private:
    static constexpr std::size_t line = 64;
    const char* at_ = nullptr;
    std::size_t lines_ = 0;  ///< cache lines that are prefetched with each tile
};

/// The number of whole tiles in `rows`. A tile of a few rows takes as long as a larger one, because each of its sums
/// waits for the one before. If few rows remain, they share the last tile's rows in two tiles of about the same size.
constexpr std::size_t whole_tiles(std::size_t rows) {
    const std::size_t tiles = rows / tile_rows;
    const std::size_t left = rows % tile_rows;
    return tiles > 0 && left > 0 && 2 * left < tile_rows ? tiles - 1 : tiles;
}

/// Rows [row, end) of a product. The whole tiles start at `a`, `a_tile` apart; rows behind them are read from p.a.
template <class Distances, class Real>
void multiply_block(const PanelProduct<Real>& p, const Distances strides, const Real* a, std::size_t a_tile,
                    std::size_t row, std::size_t end) {
    const std::size_t tiles = whole_tiles(end - row);
    const std::size_t whole = row + tiles * tile_rows;
    const std::size_t left = end - whole;
    const std::size_t second = left > tile_rows ? left / 2 : 0;
    for (std::size_t column = 0; column < p.columns; column += panel_columns<Real>) {
        NextPanel<Real> next(p, column, tiles);
        for (std::size_t tile = 0; tile < tiles; ++tile) {
            next.bring_part();
            multiply_rows<tile_rows>(p, strides, a + tile * a_tile, row + tile * tile_rows, column);
        }
        multiply_last_rows<tile_rows - 1>(p, whole, left - second, column);
        multiply_last_rows<tile_rows - 1>(p, end - second, second, column);
    }
}

template <class Real>
void multiply_part(const PanelProduct<Real>& p) {
    alignas(64) Real packed[rows_at_once * deepest];
    const bool in_rows = p.a_column == 1;
    const std::size_t panels_of_packed = in_rows ? panels_of_packed_rows : panels_of_packed_columns;
    const bool packs = p.b_row == panel_columns<Real> && p.columns >= panels_of_packed * panel_columns<Real>;
    for (std::size_t row = 0; row < p.rows; row += rows_at_once) {
        const std::size_t end = p.rows - row < rows_at_once ? p.rows : row + rows_at_once;
        const Real* const a = p.a + row * p.a_row;
        if (packs) {
            pack_tiles(p, row, row + whole_tiles(end - row) * tile_rows, packed);
            multiply_block(p, PackedStrides<Real>{}, packed, tile_rows * p.depth, row, end);
        } else if (in_rows) {
            multiply_block(p, RowStrides{p.a_row, p.b_row}, a, tile_rows * p.a_row, row, end);
        } else {
            multiply_block(p, Strides{p.a_row, p.a_column, p.b_row}, a, tile_rows * p.a_row, row, end);
        }
    }
}

template <class Real>
void multiply(const PanelProduct<Real>& whole) {
    if (whole.depth <= deepest) return multiply_part(whole);
    for (std::size_t column = 0; column < whole.columns; column += columns_at_once) {
        const std::size_t end = whole.columns - column < columns_at_once ? whole.columns : column + columns_at_once;
        const PanelProduct<Real> p = columns_of(whole, column, end);
        for (std::size_t k = 0; k < p.depth; k += deepest) {
            multiply_part(part_of(p, k, p.depth - k < deepest ? p.depth : k + deepest));
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

/// A few rows at a time, so that reads are sequential and writes are contiguous for each panel.
template <class Real>
void pack_rows(const Packing<Real>& p, std::size_t whole_columns) {
    constexpr std::size_t panel = panel_columns<Real>;
    constexpr std::size_t rows_of_a_piece = 16;
    for (std::size_t k = 0; k < p.depth; k += rows_of_a_piece) {
        const std::size_t end = p.depth - k < rows_of_a_piece ? p.depth : k + rows_of_a_piece;
        for (std::size_t column = 0; column < whole_columns; column += panel) {
            Real* const to = p.to + column * p.depth;
            for (std::size_t row = k; row < end; ++row) {
                __builtin_memcpy(to + row * panel, p.from + row * p.row + column, panel * sizeof(Real));
            }
        }
    }
}

template <class Real>
void pack_panels(const Packing<Real>& p) {
    constexpr std::size_t panel = panel_columns<Real>;
    const bool in_rows = p.column == 1;
    const std::size_t whole_columns = p.columns / panel * panel;
    if (in_rows) pack_rows(p, whole_columns);
    for (std::size_t column = in_rows ? whole_columns : 0; column < p.columns; column += panel) {
        const std::size_t count = p.columns - column < panel ? p.columns - column : panel;
        const Real* const from = p.from + column * p.column;
        Real* const to = p.to + column * p.depth;
        if (!in_rows) transpose_rows(from, count, p.depth, p.column, to, panel);
        for (std::size_t k = 0; k < p.depth; ++k) {
            for (std::size_t n = 0; in_rows && n < count; ++n) to[k * panel + n] = from[k * p.row + n];
            for (std::size_t n = count; n < panel; ++n) to[k * panel + n] = 0;
        }
    }
}

/// The bf16 nearest to x, with ties to even.
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

/// Rounds a in a product whose b is rounded.
inline void multiply_rounded_rows(const PanelProduct<float>& whole) {
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

/// Both operands are rounded to bf16 (b when it was packed), and products and sums are in float. Processors with
/// instructions for bf16 compute the same, up to the order of the sums.
inline void multiply_rounded(const Product<float>& product) {
    multiply_rounded_rows(in_panels(product));
}

/// Products within attention, whose operands are not rounded.
template <class Number>
struct PlainProducts {
    static void multiply(const PanelProduct<Number>& p) { farfield::model::multiply(p); }
};

/// Products whose operands are both rounded to bf16.
struct RoundedProducts {
    static void multiply(const PanelProduct<float>& whole) {
        constexpr std::size_t panel = panel_columns<float>;
        float b[deepest * panel];
        for (std::size_t k = 0; k < whole.depth; k += deepest) {
            PanelProduct<float> p = part_of(whole, k, whole.depth - k < deepest ? whole.depth : k + deepest);
            for (std::size_t column = 0; column < whole.columns; column += panel) {
                const float* const from = p.b + column / panel * whole.b_panel;
                const std::size_t count = whole.columns - column < panel ? whole.columns - column : panel;
                for (std::size_t j = 0; j < p.depth; ++j) {
                    for (std::size_t n = 0; n < count; ++n) {
                        b[j * panel + n] = rounded_to_bf16(from[j * whole.b_row + n]);
                    }
                }
                PanelProduct<float> part = p;
                part.columns = count;
                part.b = b;
                part.b_row = panel;
                part.c = whole.c + column;
                multiply_rounded_rows(part);
            }
        }
    }
};

}  // namespace
}  // namespace farfield::model
