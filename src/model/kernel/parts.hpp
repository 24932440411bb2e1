// Floats as sums of bf16 numbers, laid out for instructions that multiply pairs. Only for sources compiled for AVX-512:
// all names are in an unnamed namespace.
//
// x = x1 + x2 + x3 with x1 the bf16 nearest to x, x2 that nearest to x - x1, and x3 the rest, which is exact: 24 bits
// are three times 8. A matrix is kept in blocks of 16 rows (of a) or columns (of b) by 32 of depth; a block is `parts`
// tiles of 16 x 16 pairs, 1 KiB each. Row r, pair j of a's tile: depths j and j + 16 of row r; row j, pair n of b's
// tile: depths j and j + 16 of column n. Elements outside the matrix are zero.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/kernel/kernels.hpp"
#include "model/kernel/vectors.hpp"

namespace farfield::model {
namespace {

constexpr std::size_t tile_depth = 32;
constexpr std::size_t tile_numbers = lanes * tile_depth;

/// As unsigned numbers, whose shift needs no intrinsic (g++ 12 warns about its own header).
using Words __attribute__((vector_size(64))) = std::uint32_t;

inline Words words_of(__m512 x) {
    return reinterpret_cast<Words>(x);
}

inline __m512 cut(Words bits) {
    return reinterpret_cast<__m512>(bits & 0xffff0000U);
}

/// The bf16 nearest to x, with ties away from zero.
inline __m512 rounded(__m512 x) {
    return cut(words_of(x) + 0x8000U);
}

/// The bf16 nearest to x, with ties to even.
inline __m512 rounded_to_even(__m512 x) {
    const Words bits = words_of(x);
    return cut(bits + 0x7fffU + ((bits >> 16) & 1U));
}

/// A row of pairs in each part's tile: depths 0 to 15 in `first`, 16 to 31 in `second`.
template <std::size_t parts>
inline void store_pairs(__m512 first, __m512 second, std::uint16_t* to) {
    for (std::size_t part = 0; part < parts; ++part) {
        const __m512 one = parts == 1 ? rounded_to_even(first) : rounded(first);
        const __m512 two = parts == 1 ? rounded_to_even(second) : rounded(second);
        const Words pairs = words_of(one) >> 16 | words_of(two);
        _mm512_storeu_si512(to + part * tile_numbers, reinterpret_cast<__m512i>(pairs));
        first = _mm512_sub_ps(first, one);
        second = _mm512_sub_ps(second, two);
    }
}

/// rows[r] = depths [depth, depth + 16) of line r; zeros outside.
inline void load_lines(const Lines& x, std::size_t line, std::size_t depth, __m512* rows) {
    const auto mask = [](std::size_t at, std::size_t end) { return first_lanes(at < end ? end - at : 0); };
    const bool along_depth = x.depth_step == 1;
    const std::size_t first = along_depth ? line : depth;
    const std::size_t end = along_depth ? x.lines : x.depth;
    const std::size_t step = along_depth ? x.line_step : x.depth_step;
    const __mmask16 inside = along_depth ? mask(depth, x.depth) : mask(line, x.lines);
    const float* const from = x.from + (along_depth ? depth : line);
    for (std::size_t r = 0; r < lanes; ++r) {
        rows[r] = first + r < end ? _mm512_maskz_loadu_ps(inside, from + (first + r) * step) : _mm512_setzero_ps();
    }
}

struct BlockPlace {
    std::size_t line;
    std::size_t depth;
};

/// The i-th of lines x depths blocks, in the order of the numbers in memory.
inline BlockPlace along_memory(const Lines& x, std::size_t i, std::size_t lines, std::size_t depths) {
    return x.depth_step == 1 ? BlockPlace{i / depths, i % depths} : BlockPlace{i % lines, i / lines};
}

/// A block of a: a row of pairs for each line.
template <std::size_t parts>
inline void split_left(const Lines& x, std::size_t line, std::size_t depth, std::uint16_t* to) {
    __m512 first[lanes];
    __m512 second[lanes];
    load_lines(x, line, depth, first);
    load_lines(x, line, depth + lanes, second);
    if (x.depth_step != 1) {
        transpose(first);
        transpose(second);
    }
    for (std::size_t r = 0; r < lanes; ++r) store_pairs<parts>(first[r], second[r], to + r * tile_depth);
}

/// A block of b: a row of pairs for each of the first 16 depths.
template <std::size_t parts>
inline void split_right(const Lines& x, std::size_t line, std::size_t depth, std::uint16_t* to) {
    __m512 first[lanes];
    __m512 second[lanes];
    load_lines(x, line, depth, first);
    load_lines(x, line, depth + lanes, second);
    if (x.depth_step == 1) {
        transpose(first);
        transpose(second);
    }
    for (std::size_t r = 0; r < lanes; ++r) store_pairs<parts>(first[r], second[r], to + r * tile_depth);
}

/// Columns are packed two blocks at a time: [columns / 32][depth / 32][2][parts] tiles.
template <std::size_t parts>
std::size_t packed_parts_size(std::size_t depth, std::size_t columns) {
    const std::size_t tiles = 2 * blocks_of(columns, 2 * lanes) * blocks_of(depth, tile_depth) * parts;
    return tiles * tile_numbers * sizeof(std::uint16_t) / sizeof(float);
}

template <std::size_t parts>
void pack_parts(const Packing<float>& p) {
    const Lines columns{p.from, p.column, p.row, p.columns, p.depth};
    const std::size_t panels = blocks_of(p.columns, 2 * lanes);
    const std::size_t depths = blocks_of(p.depth, tile_depth);
    for (std::size_t i = 0; i < panels * depths; ++i) {
        const auto [panel, depth] = along_memory(columns, i, panels, depths);
        auto* const to = reinterpret_cast<std::uint16_t*>(p.to) + (panel * depths + depth) * 2 * parts * tile_numbers;
        for (std::size_t half = 0; half < 2; ++half) {
            split_right<parts>(columns, (2 * panel + half) * lanes, depth * tile_depth,
                               to + half * parts * tile_numbers);
        }
    }
}

}  // namespace
}  // namespace farfield::model
