// Products of numbers rounded to bf16 with AVX512_BF16, which adds up products of pairs. Compiled for it and AVX-512;
// see kernel.cpp for the functions that may be called here.
//
// Pair j of a row of a, or of a column of b, has depths 2j and 2j + 1, with zeros after the last. b is stored in panels
// of 32 columns: [columns / 32][pairs][32]. A few rows of a are rounded at a time, in a layout that needs no
// transposition.
#include "model/kernel/attention.hpp"
#include "model/kernel/special_products.hpp"
#include "model/kernel/vectors.hpp"

namespace farfield::model {
namespace pairs {
namespace {

constexpr std::size_t rows_at_once = 264;   // of a, rounded once and kept in the L2 cache
constexpr std::size_t depth_at_once = 512;  // of a panel that stays in the L1 cache
constexpr std::size_t tile_rows = 12;       // 24 sums, 2 columns and a row in 32 registers
constexpr std::size_t panel_columns = 2 * lanes;

constexpr std::size_t pairs_of(std::size_t depth) {
    return (depth + 1) / 2;
}

/// `count` numbers from `from` on, followed by zeros.
inline __m512 load_some(const float* from, std::size_t count) {
    return count >= lanes ? _mm512_loadu_ps(from) : _mm512_maskz_loadu_ps(first_lanes(count), from);
}

/// 16 pairs of neighbours, from 32 numbers of which only `count` exist.
inline __m512i neighbours(const float* from, std::size_t count) {
    const __m512 first = load_some(from, count);
    const __m512 second = count > lanes ? load_some(from + lanes, count - lanes) : _mm512_setzero_ps();
    return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
}

/// 16 pairs, each of a lane of `first` and the same lane of `second`.
inline __m512i interleaved(__m512 first, __m512 second) {
    alignas(64) static constexpr std::uint16_t order[2 * lanes] = {0,  16, 1,  17, 2,  18, 3,  19, 4,  20, 5,
                                                                   21, 6,  22, 7,  23, 8,  24, 9,  25, 10, 26,
                                                                   11, 27, 12, 28, 13, 29, 14, 30, 15, 31};
    const auto both = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(second, first));
    return _mm512_permutexvar_epi16(_mm512_load_si512(order), both);
}

/// 16 lines side by side at depths k and k + 1 of x, of which only `count` exist.
inline __m512i pairs_across(const Lines& x, std::size_t line, std::size_t count, std::size_t k) {
    const float* const from = x.from + k * x.depth_step + line;
    const __m512 second = k + 1 < x.depth ? load_some(from + x.depth_step, count) : _mm512_setzero_ps();
    return interleaved(load_some(from, count), second);
}

/// The layout of some rounded rows of a: pair j of row r is at [r * row_step + j * pair_step]. Neither step is a power
/// of two, so that rows do not evict each other from the L1 cache.
template <bool along_depth>
constexpr std::size_t row_step = along_depth ? depth_at_once / 2 + lanes : 1;
template <bool along_depth>
constexpr std::size_t pair_step = along_depth ? 1 : rows_at_once;
constexpr std::size_t left_size = rows_at_once * row_step<true>;

/// Rows [row, row + count), depths [depth, end) of a, with the layout of a itself.
template <bool along_depth>
void round_rows(const Lines& a, std::size_t row, std::size_t count, std::size_t depth, std::size_t end,
                std::uint32_t* to) {
    const float* from = a.from + row * a.line_step + depth;
    const std::size_t numbers = end - depth;
    for (std::size_t r = 0; along_depth && r < count; ++r, from += a.line_step, to += row_step<true>) {
        std::size_t k = 0;
        for (; k + 2 * lanes <= numbers; k += 2 * lanes) {
            _mm512_storeu_si512(to + k / 2, neighbours(from + k, 2 * lanes));
        }
        if (k < numbers) _mm512_storeu_si512(to + k / 2, neighbours(from + k, numbers - k));
    }
    for (std::size_t k = depth; !along_depth && k < end; k += 2) {
        std::uint32_t* const here = to + (k - depth) / 2 * pair_step<false>;
        std::size_t r = 0;
        for (; r + lanes <= count; r += lanes) _mm512_storeu_si512(here + r, pairs_across(a, row + r, lanes, k));
        if (r < count) {
            _mm512_mask_storeu_epi32(here + r, first_lanes(count - r), pairs_across(a, row + r, count - r, k));
        }
    }
}

std::size_t packed_size(std::size_t depth, std::size_t columns) {
    return blocks_of(columns, panel_columns) * panel_columns * pairs_of(depth);
}

/// Packs 16 columns of b (16 of the 32 of a panel), whose depths are contiguous.
void pack_along_depth(const Lines& b, std::size_t column, std::uint32_t* to) {
    for (std::size_t k = 0; k < b.depth; k += 2 * lanes) {
        __m512 square[lanes];
        for (std::size_t n = 0; n < lanes; ++n) {
            const __m512i pairs = column + n < b.lines
                                      ? neighbours(b.from + (column + n) * b.line_step + k, b.depth - k)
                                      : _mm512_setzero_si512();
            square[n] = _mm512_castsi512_ps(pairs);
        }
        transpose(square);
        for (std::size_t j = 0; j < lanes && k + 2 * j < b.depth; ++j) {
            _mm512_storeu_ps(reinterpret_cast<float*>(to + (k / 2 + j) * panel_columns), square[j]);
        }
    }
}

void pack_pairs(const Packing<float>& p) {
    const Lines b{p.from, p.column, p.row, p.columns, p.depth};
    auto* const to = reinterpret_cast<std::uint32_t*>(p.to);
    const std::size_t whole = blocks_of(p.columns, panel_columns) * panel_columns;
    const auto place = [&](std::size_t column) {
        return to + column / panel_columns * panel_columns * pairs_of(p.depth) + column % panel_columns;
    };
    if (b.depth_step == 1) {
        for (std::size_t column = 0; column < whole; column += lanes) pack_along_depth(b, column, place(column));
        return;
    }
    // A few pairs at a time, so that reads are sequential and writes are contiguous for each panel.
    constexpr std::size_t pairs_at_once = 8;
    for (std::size_t j = 0; j < pairs_of(p.depth); j += pairs_at_once) {
        const std::size_t end = pairs_of(p.depth) - j < pairs_at_once ? pairs_of(p.depth) : j + pairs_at_once;
        for (std::size_t column = 0; column < whole; column += lanes) {
            const std::size_t count = column < p.columns ? p.columns - column : 0;
            std::uint32_t* const here = place(column);
            for (std::size_t i = j; i < end; ++i) {
                _mm512_storeu_si512(here + i * panel_columns, pairs_across(b, column, count, 2 * i));
            }
        }
    }
}

/// Rows of c, and columns [column, column + 32).
struct Place {
    float* c;
    const float* bias;
    const float* slope;
    std::size_t columns;
    std::size_t row;  ///< numbers from one row to the next
    bool add;
};

/// A tile whose sums, in rows of `row_numbers`, do not all belong to c.
void finish_part(const Place& at, const float* sums, std::size_t row_numbers, std::size_t rows) {
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t n = 0; n < at.columns; n += lanes) {
            const __mmask16 inside = first_lanes(at.columns - n);
            const std::size_t place = r * at.row + n;
            __m512 sum = _mm512_loadu_ps(sums + r * row_numbers + n);
            if (at.bias != nullptr) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, at.bias + n));
            if (at.add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, at.c + place));
            if (at.slope != nullptr) sum = _mm512_mul_ps(sum, _mm512_maskz_loadu_ps(inside, at.slope + place));
            _mm512_mask_storeu_ps(at.c + place, inside, sum);
        }
    }
}

/// rows x (vectors * 16) sums of pairs. Every loop over the tile is unrolled and the function is not inlined, because
/// otherwise sums would be stored in memory.
template <std::size_t rows, std::size_t vectors, bool along_depth>
[[gnu::noinline]] void multiply_tile(const std::uint32_t* a, const std::uint32_t* b, std::size_t pairs,
                                     const Place& at) {
    constexpr std::size_t count = rows * vectors;
    __m512 sums[count];
#pragma GCC unroll 32
    for (std::size_t i = 0; i < count; ++i) sums[i] = _mm512_setzero_ps();
    for (std::size_t j = 0; j < pairs; ++j, a += pair_step<along_depth>, b += panel_columns) {
        __m512bh columns[vectors];
#pragma GCC unroll 2
        for (std::size_t v = 0; v < vectors; ++v) {
            columns[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + v * lanes));
        }
#pragma GCC unroll 16
        for (std::size_t r = 0; r < rows; ++r) {
            const auto pair = _mm512_set1_epi32(static_cast<int>(a[r * row_step<along_depth>]));
#pragma GCC unroll 2
            for (std::size_t v = 0; v < vectors; ++v) {
                __m512& sum = sums[r * vectors + v];
                sum = _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(pair), columns[v]);
            }
        }
    }
    if (at.columns < vectors * lanes) {
        alignas(64) float numbers[count * lanes];
#pragma GCC unroll 32
        for (std::size_t i = 0; i < count; ++i) _mm512_store_ps(numbers + i * lanes, sums[i]);
        return finish_part(at, numbers, vectors * lanes, rows);
    }
    const std::size_t c_row = at.row;
    if (at.bias != nullptr) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < count; ++i) sums[i] += _mm512_loadu_ps(at.bias + i % vectors * lanes);
    }
    if (at.add) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < count; ++i) {
            sums[i] += _mm512_loadu_ps(at.c + i / vectors * c_row + i % vectors * lanes);
        }
    }
    if (at.slope != nullptr) {
#pragma GCC unroll 32
        for (std::size_t i = 0; i < count; ++i) {
            sums[i] *= _mm512_loadu_ps(at.slope + i / vectors * c_row + i % vectors * lanes);
        }
    }
#pragma GCC unroll 32
    for (std::size_t i = 0; i < count; ++i) {
        _mm512_storeu_ps(at.c + i / vectors * c_row + i % vectors * lanes, sums[i]);
    }
}

template <std::size_t rows, bool along_depth>
inline void multiply_rows(const std::uint32_t* a, const std::uint32_t* b, std::size_t pairs, const Place& at,
                          std::size_t count) {
    if constexpr (rows > 0) {
        if (count < rows) return multiply_rows<rows - 1, along_depth>(a, b, pairs, at, count);
        if (at.columns > lanes) return multiply_tile<rows, 2, along_depth>(a, b, pairs, at);
        multiply_tile<rows, 1, along_depth>(a, b, pairs, at);
    }
}

/// The height of the next tile if `left` rows remain. The last two tiles share the rest, because a tile with few rows
/// waits for its sums.
constexpr std::size_t tile_height(std::size_t left) {
    return left <= tile_rows ? left : left < 2 * tile_rows ? (left + 1) / 2 : tile_rows;
}

/// `panel(column, depth, end)` gives the pairs of the panel from that column on, depths [depth, end).
template <bool along_depth, class Panel>
inline void multiply_rounding(const PanelProduct<float>& whole, std::uint32_t* left, Panel panel) {
    const Lines rows{whole.a, whole.a_row, whole.a_column, whole.rows, whole.depth};
    for (std::size_t depth = 0; depth < whole.depth; depth += depth_at_once) {
        const std::size_t end = depth + depth_at_once < whole.depth ? depth + depth_at_once : whole.depth;
        for (std::size_t row = 0; row < whole.rows; row += rows_at_once) {
            const std::size_t count = whole.rows - row < rows_at_once ? whole.rows - row : rows_at_once;
            round_rows<along_depth>(rows, row, count, depth, end, left);
            for (std::size_t column = 0; column < whole.columns; column += panel_columns) {
                const std::uint32_t* const b = panel(column, depth, end);
                for (std::size_t r = 0, height = 0; r < count; r += height) {
                    height = tile_height(count - r);
                    const std::size_t place = (row + r) * whole.c_row + column;
                    const Place at{whole.c + place,
                                   whole.bias != nullptr && depth == 0 ? whole.bias + column : nullptr,
                                   whole.slope != nullptr && end == whole.depth ? whole.slope + place : nullptr,
                                   whole.columns - column,
                                   whole.c_row,
                                   whole.add || depth > 0};
                    multiply_rows<tile_rows, along_depth>(left + r * row_step<along_depth>, b, pairs_of(end - depth),
                                                          at, height);
                }
            }
        }
    }
}

void multiply_packed(const Product<float>& product) {
    alignas(64) std::uint32_t left[left_size];
    const PanelProduct<float> p = in_panels(product);
    const auto* const b = reinterpret_cast<const std::uint32_t*>(p.b);
    const auto panel = [&](std::size_t column, std::size_t depth, std::size_t) {
        return b + column * pairs_of(p.depth) + depth / 2 * panel_columns;
    };
    p.a_column == 1 ? multiply_rounding<true>(p, left, panel) : multiply_rounding<false>(p, left, panel);
}

/// Products within attention, with few rows and a small b, which is rounded when it is read.
struct PairProducts {
    static void multiply(const PanelProduct<float>& p) {
        alignas(64) std::uint32_t left[left_size];
        alignas(64) std::uint32_t right[panel_columns * depth_at_once / 2];
        const Lines columns{p.b, 1, p.b_row, p.columns, p.depth};
        const auto panel = [&](std::size_t column, std::size_t depth, std::size_t end) {
            const std::size_t count = p.columns - column;
            for (std::size_t k = depth; k < end; k += 2) {
                std::uint32_t* const to = right + (k - depth) / 2 * panel_columns;
                _mm512_store_si512(to, pairs_across(columns, column, count, k));
                if (count > lanes) {
                    _mm512_store_si512(to + lanes, pairs_across(columns, column + lanes, count - lanes, k));
                }
            }
            return static_cast<const std::uint32_t*>(right);
        };
        p.a_column == 1 ? multiply_rounding<true>(p, left, panel) : multiply_rounding<false>(p, left, panel);
    }
};

}  // namespace
}  // namespace pairs

const PackedProducts& pairs_of_bf16() {
    static constexpr PackedProducts products = {pairs::packed_size, pairs::pack_pairs, pairs::multiply_packed};
    return products;
}

const AttentionOfProducts& attention_of_pairs() {
    static constexpr AttentionOfProducts attention = {attend<pairs::PairProducts, float>,
                                                      attend_backward<pairs::PairProducts, float>,
                                                      logits_of_tile<pairs::PairProducts, float>};
    return attention;
}

}  // namespace farfield::model
