// Vectors of 16 floats. Only for sources compiled for AVX-512: all names are in an unnamed namespace.
#pragma once

#include <immintrin.h>

#include <cstddef>

namespace farfield::model {
namespace {

constexpr std::size_t lanes = 16;

/// A matrix: element (line, k) at [line * line_step + k * depth_step], one of the steps being 1.
struct Lines {
    const float* from;
    std::size_t line_step;
    std::size_t depth_step;
    std::size_t lines;
    std::size_t depth;
};

constexpr std::size_t blocks_of(std::size_t count, std::size_t size) {
    return (count + size - 1) / size;
}

inline __mmask16 first_lanes(std::size_t count) {
    return static_cast<__mmask16>(count >= lanes ? 0xffffU : (1U << count) - 1);
}

/// Rows to columns of 16 x 16 numbers.
inline void transpose(__m512* rows) {
    __m512 pairs[lanes];
    for (std::size_t r = 0; r < lanes; r += 2) {
        pairs[r] = _mm512_unpacklo_ps(rows[r], rows[r + 1]);
        pairs[r + 1] = _mm512_unpackhi_ps(rows[r], rows[r + 1]);
    }
    for (std::size_t r = 0; r < lanes; r += 4) {
        for (std::size_t half = 0; half < 2; ++half) {
            const __m512d low = _mm512_castps_pd(pairs[r + half]);
            const __m512d high = _mm512_castps_pd(pairs[r + 2 + half]);
            rows[r + 2 * half] = _mm512_castpd_ps(_mm512_unpacklo_pd(low, high));
            rows[r + 2 * half + 1] = _mm512_castpd_ps(_mm512_unpackhi_pd(low, high));
        }
    }
    // rows[4 g + c] holds, in its quarters i, column 4 i + c of rows 4 g to 4 g + 3.
    for (std::size_t c = 0; c < 4; ++c) {
        const __m512 a = _mm512_shuffle_f32x4(rows[c], rows[4 + c], 0x88);
        const __m512 b = _mm512_shuffle_f32x4(rows[8 + c], rows[12 + c], 0x88);
        const __m512 d = _mm512_shuffle_f32x4(rows[c], rows[4 + c], 0xdd);
        const __m512 e = _mm512_shuffle_f32x4(rows[8 + c], rows[12 + c], 0xdd);
        pairs[c] = _mm512_shuffle_f32x4(a, b, 0x88);
        pairs[8 + c] = _mm512_shuffle_f32x4(a, b, 0xdd);
        pairs[4 + c] = _mm512_shuffle_f32x4(d, e, 0x88);
        pairs[12 + c] = _mm512_shuffle_f32x4(d, e, 0xdd);
    }
    for (std::size_t r = 0; r < lanes; ++r) rows[r] = pairs[r];
}

}  // namespace
}  // namespace farfield::model
