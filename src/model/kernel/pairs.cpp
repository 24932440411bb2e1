// Products of numbers rounded to bf16 by AVX512_BF16, which adds up products of pairs. Compiled for it and AVX-512; see
// kernel.cpp for what may be called here.
#include "model/kernel/parts.hpp"
#include "model/kernel/special_products.hpp"

namespace farfield::model {
namespace {

constexpr std::size_t rows_at_once = 240;   // of a, rounded once and kept in the second cache
constexpr std::size_t depth_at_once = 512;  // of a panel that stays in the first
constexpr std::size_t tile_rows = 12;       // 24 sums, 2 columns and a row in 32 registers
constexpr std::size_t row_pairs = depth_at_once / 2;

/// Rows [row, row + count), depths [depth, end) of a, pair by pair as in parts.hpp, each row at [row * row_pairs].
void round_rows(const Lines& a, std::size_t row, std::size_t count, std::size_t depth, std::size_t end,
                std::uint32_t* to) {
    alignas(64) std::uint16_t tile[tile_numbers];
    for (std::size_t r = 0; r < count; r += lanes) {
        for (std::size_t k = depth; k < end; k += tile_depth) {
            split_left<1>(a, row + r, k, tile);
            const std::size_t rows = count - r < lanes ? count - r : lanes;
            for (std::size_t i = 0; i < rows; ++i) {
                _mm512_storeu_si512(to + (r + i) * row_pairs + (k - depth) / 2,
                                    _mm512_load_si512(tile + i * tile_depth));
            }
        }
    }
}

/// c's rows, columns [column, column + 32).
struct Place {
    float* c;
    const float* bias;
    const float* slope;
    std::size_t columns;
};

inline void finish(const Product<float>& p, const Place& at, std::size_t r, std::size_t vector, __m512 sum) {
    const std::size_t n = vector * lanes;
    if (n >= at.columns) return;
    const std::size_t left = at.columns - n;
    const auto inside = static_cast<__mmask16>(left >= lanes ? 0xffffU : (1U << left) - 1);
    float* const to = at.c + r * p.c_row + n;
    if (at.bias != nullptr) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, at.bias + n));
    if (p.add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, to));
    if (at.slope != nullptr) sum = _mm512_mul_ps(sum, _mm512_maskz_loadu_ps(inside, at.slope + r * p.c_row + n));
    _mm512_mask_storeu_ps(to, inside, sum);
}

/// `rows` x 32 sums of pairs.
template <std::size_t rows>
inline void multiply_tile(const Product<float>& p, const std::uint32_t* a, const std::uint16_t* b,
                          std::size_t depth_blocks, const Place& at) {
    __m512 sums[rows][2];
    for (std::size_t r = 0; r < rows; ++r) sums[r][0] = sums[r][1] = _mm512_setzero_ps();
    for (std::size_t k = 0; k < depth_blocks; ++k, a += lanes, b += 2 * tile_numbers) {
        for (std::size_t j = 0; j < lanes; ++j) {
            const auto left = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + j * tile_depth));
            const auto right = reinterpret_cast<__m512bh>(_mm512_loadu_si512(b + tile_numbers + j * tile_depth));
            for (std::size_t r = 0; r < rows; ++r) {
                const auto row = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(a[r * row_pairs + j])));
                sums[r][0] = _mm512_dpbf16_ps(sums[r][0], row, left);
                sums[r][1] = _mm512_dpbf16_ps(sums[r][1], row, right);
            }
        }
    }
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t v = 0; v < 2; ++v) finish(p, at, r, v, sums[r][v]);
    }
}

template <std::size_t rows>
inline void multiply_last_rows(const Product<float>& p, const std::uint32_t* a, const std::uint16_t* b,
                               std::size_t depth_blocks, const Place& at, std::size_t count) {
    if constexpr (rows > 0) {
        if (count == rows) return multiply_tile<rows>(p, a, b, depth_blocks, at);
        multiply_last_rows<rows - 1>(p, a, b, depth_blocks, at, count);
    }
}

void multiply_by_pairs(const Product<float>& whole) {
    alignas(64) std::uint32_t left[rows_at_once * row_pairs];
    const Lines rows{whole.a, whole.a_row, whole.a_column, whole.rows, whole.depth};
    const std::size_t panel = blocks_of(whole.depth, tile_depth) * 2 * tile_numbers;
    for (std::size_t depth = 0; depth < whole.depth; depth += depth_at_once) {
        const std::size_t end = depth + depth_at_once < whole.depth ? depth + depth_at_once : whole.depth;
        Product<float> p = whole;
        p.add = whole.add || depth > 0;
        for (std::size_t row = 0; row < whole.rows; row += rows_at_once) {
            const std::size_t count = whole.rows - row < rows_at_once ? whole.rows - row : rows_at_once;
            round_rows(rows, row, count, depth, end, left);
            for (std::size_t column = 0; column < whole.columns; column += 2 * lanes) {
                const auto* const b = reinterpret_cast<const std::uint16_t*>(whole.b) + column / (2 * lanes) * panel +
                                      depth / tile_depth * 2 * tile_numbers;
                for (std::size_t r = 0; r < count; r += tile_rows) {
                    const std::size_t place = (row + r) * whole.c_row + column;
                    const Place at{whole.c + place, whole.bias != nullptr && depth == 0 ? whole.bias + column : nullptr,
                                   whole.slope != nullptr && end == whole.depth ? whole.slope + place : nullptr,
                                   whole.columns - column};
                    const std::size_t blocks = blocks_of(end - depth, tile_depth);
                    multiply_last_rows<tile_rows>(p, left + r * row_pairs, b, blocks, at,
                                                  count - r < tile_rows ? count - r : tile_rows);
                }
            }
        }
    }
}

}  // namespace

const PackedProducts& pairs_of_bf16() {
    static constexpr PackedProducts products = {packed_parts_size<1>, pack_parts<1>, multiply_by_pairs};
    return products;
}

}  // namespace farfield::model
