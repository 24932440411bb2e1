// Products by AMX, whose tiles multiply bf16 numbers and add up floats. The operands are numbers rounded to bf16, or
// floats in three parts. x y = (x1 + x2 + x3)(y1 + y2 + y3) without x2 y3, x3 y2 and x3 y3, which are together below
// 2^-26 |x y|, less than one rounding error of a float. Compiled for AMX and AVX-512; see kernel.cpp for the functions
// that may be called here.
#include "model/kernel/parts.hpp"
#include "model/kernel/special_products.hpp"

namespace farfield::model {
namespace {

constexpr std::size_t rows_at_once = 256;   // of a, split once and kept in the L2 cache
constexpr std::size_t depth_at_once = 256;  // of a panel that is read for all of these rows
constexpr std::size_t panel_columns = 2 * lanes;

/// Eight tiles of 16 rows of 64 bytes.
struct alignas(64) TileShapes {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

#define FARFIELD_FOUR_PRODUCTS \
    _tile_dpbf16ps(0, 4, 6);   \
    _tile_dpbf16ps(1, 4, 7);   \
    _tile_dpbf16ps(2, 5, 6);   \
    _tile_dpbf16ps(3, 5, 7)

/// Two row blocks of a and two column blocks of b.
struct Factors {
    const std::uint16_t* upper;
    const std::uint16_t* lower;
    const std::uint16_t* b;
    std::size_t depth_blocks;
};

/// Adds the product of both to tiles 0 to 3; the small products come first.
template <std::size_t parts>
inline void multiply_tiles(const Factors& factors) {
    constexpr std::size_t block = parts * tile_numbers;
    for (std::size_t k = 0; k < factors.depth_blocks; ++k) {
        const std::uint16_t* const upper = factors.upper + k * block;
        const std::uint16_t* const lower = factors.lower + k * block;
        const std::uint16_t* const b = factors.b + k * 2 * block;
        const auto a_part = [&](std::size_t part) {
            _tile_loadd(4, upper + part * tile_numbers, 64);
            _tile_loadd(5, lower + part * tile_numbers, 64);
        };
        const auto b_part = [&](std::size_t part) {
            _tile_loadd(6, b + part * tile_numbers, 64);
            _tile_loadd(7, b + block + part * tile_numbers, 64);
        };
        if constexpr (parts == 3) {
            a_part(2);
            b_part(0);
            FARFIELD_FOUR_PRODUCTS;
            a_part(1);
            FARFIELD_FOUR_PRODUCTS;
            b_part(1);
            FARFIELD_FOUR_PRODUCTS;
            a_part(0);
            FARFIELD_FOUR_PRODUCTS;
            b_part(2);
            FARFIELD_FOUR_PRODUCTS;
            b_part(0);
            FARFIELD_FOUR_PRODUCTS;
        } else {
            a_part(0);
            b_part(0);
            FARFIELD_FOUR_PRODUCTS;
        }
    }
}
#undef FARFIELD_FOUR_PRODUCTS

/// 32 x 32 sums at `to`, starting from `start` (rows `start_row` apart; 0: all rows alike) or from zero.
template <std::size_t parts>
inline void multiply_block(const Factors& factors, const float* start, std::size_t start_row, float* to,
                           std::size_t to_row) {
    if (start != nullptr) {
        const std::size_t step = start_row * sizeof(float);
        _tile_loadd(0, start, step);
        _tile_loadd(1, start + lanes, step);
        _tile_loadd(2, start + lanes * start_row, step);
        _tile_loadd(3, start + lanes * start_row + lanes, step);
    } else {
        _tile_zero(0);
        _tile_zero(1);
        _tile_zero(2);
        _tile_zero(3);
    }
    multiply_tiles<parts>(factors);
    const std::size_t step = to_row * sizeof(float);
    _tile_stored(0, to, step);
    _tile_stored(1, to + lanes, step);
    _tile_stored(2, to + lanes * to_row, step);
    _tile_stored(3, to + lanes * to_row + lanes, step);
}

/// The place of one block of sums in c: rows [row, row + rows) and columns [column, column + columns).
struct Corner {
    std::size_t row;
    std::size_t column;
    std::size_t rows;
    std::size_t columns;
};

/// Finishes a block at the edge of c, or one that needs more than an addition; its sums are stored in a separate block
/// first.
inline void finish_block(const Product<float>& p, const Corner& at, const float* sums) {
    for (std::size_t r = 0; r < at.rows; ++r) {
        for (std::size_t n = 0; n < at.columns; n += lanes) {
            const __mmask16 inside = first_lanes(at.columns - n);
            const std::size_t place = (at.row + r) * p.c_row + at.column + n;
            __m512 sum = _mm512_loadu_ps(sums + r * panel_columns + n);
            if (p.bias != nullptr) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, p.bias + at.column + n));
            if (p.add) sum = _mm512_add_ps(sum, _mm512_maskz_loadu_ps(inside, p.c + place));
            if (p.slope != nullptr) sum = _mm512_mul_ps(sum, _mm512_maskz_loadu_ps(inside, p.slope + place));
            _mm512_mask_storeu_ps(p.c + place, inside, sum);
        }
    }
}

/// Multiplies rows [row, row + count) of a, which are all split, by all columns of b.
template <std::size_t parts>
void multiply_rows(const Product<float>& p, const std::uint16_t* left, std::size_t row, std::size_t count,
                   std::size_t depth_blocks, std::size_t panel_blocks) {
    constexpr std::size_t block = parts * tile_numbers;
    const auto* b = reinterpret_cast<const std::uint16_t*>(p.b);
    for (std::size_t column = 0; column < p.columns; column += panel_columns, b += 2 * panel_blocks * block) {
        for (std::size_t r = 0; r < count; r += 2 * lanes) {
            const std::uint16_t* const upper = left + r / lanes * depth_blocks * block;
            const Factors factors{upper, upper + depth_blocks * block, b, depth_blocks};
            const Corner at{row + r, column, count - r < 2 * lanes ? count - r : 2 * lanes,
                            p.columns - column < panel_columns ? p.columns - column : panel_columns};
            float* const c = p.c + at.row * p.c_row + column;
            const bool whole = at.rows == 2 * lanes && at.columns == panel_columns && p.slope == nullptr;
            if (whole && !(p.add && p.bias != nullptr)) {
                const float* const start = p.add ? c : p.bias != nullptr ? p.bias + column : nullptr;
                multiply_block<parts>(factors, start, p.add ? p.c_row : 0, c, p.c_row);
                continue;
            }
            alignas(64) float sums[2 * lanes * panel_columns];
            multiply_block<parts>(factors, nullptr, 0, sums, panel_columns);
            finish_block(p, at, sums);
        }
    }
}

template <std::size_t parts>
void multiply_by_tiles(const Product<float>& whole) {
    alignas(64) std::uint16_t left[rows_at_once * depth_at_once * parts];
    const TileShapes shapes;
    _tile_loadconfig(&shapes);
    const Lines rows{whole.a, whole.a_row, whole.a_column, whole.rows, whole.depth};
    constexpr std::size_t block = parts * tile_numbers;
    for (std::size_t depth = 0; depth < whole.depth; depth += depth_at_once) {
        Product<float> p = whole;
        const std::size_t end = depth + depth_at_once < whole.depth ? depth + depth_at_once : whole.depth;
        const std::size_t depth_blocks = blocks_of(end - depth, tile_depth);
        p.b += depth / tile_depth * 2 * block * sizeof(std::uint16_t) / sizeof(float);
        if (depth > 0) p.add = true;
        if (depth > 0) p.bias = nullptr;
        if (end < whole.depth) p.slope = nullptr;
        for (std::size_t row = 0; row < whole.rows; row += rows_at_once) {
            const std::size_t count = whole.rows - row < rows_at_once ? whole.rows - row : rows_at_once;
            const std::size_t row_blocks = 2 * blocks_of(count, 2 * lanes);
            for (std::size_t i = 0; i < row_blocks * depth_blocks; ++i) {
                const auto [r, k] = along_memory(rows, i, row_blocks, depth_blocks);
                split_left<parts>(rows, row + r * lanes, depth + k * tile_depth, left + (r * depth_blocks + k) * block);
            }
            multiply_rows<parts>(p, left, row, count, depth_blocks, blocks_of(whole.depth, tile_depth));
        }
    }
    _tile_release();
}

}  // namespace

const PackedProducts& tiles_of_floats() {
    static constexpr PackedProducts products = {packed_parts_size<3>, pack_parts<3>, multiply_by_tiles<3>};
    return products;
}

const PackedProducts& tiles_of_bf16() {
    static constexpr PackedProducts products = {packed_parts_size<1>, pack_parts<1>, multiply_by_tiles<1>};
    return products;
}

}  // namespace farfield::model
