// A vector of numbers, and the operations that its instruction set and SLEEF offer. Only for kernel.cpp: all names are
// in an unnamed namespace, so that no two widths of one function meet in the linker.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <sleef.h>

#include <cstddef>
#include <cstdint>

#include "evaluate/kernel/kernel.hpp"

namespace farfield::evaluate {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
constexpr const char* kernel_name = "avx512";
constexpr std::size_t tile_rows = 12;  ///< of a matrix product: with two vectors per row, most registers contain sums
#define FARFIELD_SLEEF_DOUBLE(function) Sleef_##function##d8_u10avx512f
#define FARFIELD_SLEEF_FLOAT(function) Sleef_##function##f16_u10avx512f
#elif defined(__AVX2__)
constexpr std::size_t vector_bytes = 32;
constexpr const char* kernel_name = "avx2";
constexpr std::size_t tile_rows = 6;
#define FARFIELD_SLEEF_DOUBLE(function) Sleef_##function##d4_u10avx2
#define FARFIELD_SLEEF_FLOAT(function) Sleef_##function##f8_u10avx2
#else
constexpr std::size_t vector_bytes = 16;
#if defined(__aarch64__)
constexpr const char* kernel_name = "neon";
constexpr std::size_t tile_rows = 12;
#else
constexpr const char* kernel_name = "sse2";
constexpr std::size_t tile_rows = 4;
#endif
#define FARFIELD_SLEEF_DOUBLE(function) Sleef_##function##d2_u10
#define FARFIELD_SLEEF_FLOAT(function) Sleef_##function##f4_u10
#endif

/// A register of numbers; arithmetic, comparison and ?: act on each number.
template <class Number>
using Vector __attribute__((vector_size(vector_bytes))) = Number;

using Doubles = Vector<double>;
using Floats = Vector<float>;

template <class Number>
constexpr std::size_t width = vector_bytes / sizeof(Number);

template <class Number>
Vector<Number> load(const Number* from) {
    Vector<Number> loaded;
    __builtin_memcpy(&loaded, from, vector_bytes);
    return loaded;
}

template <class Number>
void store(Number* to, Vector<Number> values) {
    __builtin_memcpy(to, &values, vector_bytes);
}

template <class Number>
Vector<Number> broadcast(Number value) {
    return value - Vector<Number>{};
}

/// Whether a product and a sum have one rounding.
#if defined(__FMA__) || defined(__AVX512F__) || defined(__ARM_FEATURE_FMA)
#define FARFIELD_FUSED
#endif

#if defined(__AVX512F__)
inline bool all_hold(Vector<std::int64_t> conditions) {
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(conditions)) == 0xff;
}
inline bool all_between(Doubles x, double low, double high) {
    const __mmask8 not_below = _mm512_cmp_pd_mask(x, _mm512_set1_pd(low), _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(not_below, x, _mm512_set1_pd(high), _CMP_LE_OQ) == 0xff;
}
/// table[index] for each lane; only the last four bits of the index are used.
inline Doubles entry_of(const double (&table)[16], Vector<std::int64_t> index) {
    const Doubles first = _mm512_loadu_pd(table);
    return _mm512_permutex2var_pd(first, reinterpret_cast<__m512i>(index), _mm512_loadu_pd(table + 8));
}
inline Vector<std::int64_t> entry_of(const std::int64_t (&table)[16], Vector<std::int64_t> index) {
    const __m512i first = _mm512_loadu_si512(table);
    return reinterpret_cast<Vector<std::int64_t>>(
        _mm512_permutex2var_epi64(first, reinterpret_cast<__m512i>(index), _mm512_loadu_si512(table + 8)));
}
/// a[1], a[2], ..., b[0].
inline Doubles one_lane_on(Doubles a, Doubles b) {
    return reinterpret_cast<Doubles>(
        _mm512_alignr_epi64(reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(a), 1));
}
inline Doubles last_lane_of(Doubles x) {
    return _mm512_permutexvar_pd(_mm512_set1_epi64(7), x);
}
/// x[0], x[0] + x[1], ...
inline Doubles running_sums_of(Doubles x) {
    const __m512i nothing = _mm512_setzero_si512();
    x += reinterpret_cast<Doubles>(_mm512_alignr_epi64(reinterpret_cast<__m512i>(x), nothing, 7));
    x += reinterpret_cast<Doubles>(_mm512_alignr_epi64(reinterpret_cast<__m512i>(x), nothing, 6));
    return x + reinterpret_cast<Doubles>(_mm512_alignr_epi64(reinterpret_cast<__m512i>(x), nothing, 4));
}
inline void store_past_caches(double* to, Doubles x) {
    _mm512_stream_pd(to, x);
}
inline void fence_stores() {
    _mm_sfence();
}
/// Rounded like the processor's own root, which takes four times as long, except that a value within 2^-50 units in the
/// last place of the midpoint between two numbers may be rounded to the other. Heron's step doubles the 14 bits of an
/// estimate g of the root and h of half its inverse; the last step corrects for the difference between g^2 and x.
inline Doubles usual_root_of(Doubles x) {
    const Doubles half = _mm512_set1_pd(0.5);
    const Doubles estimate = _mm512_rsqrt14_pd(x);
    const Doubles g0 = x * estimate;
    const Doubles h0 = half * estimate;
    const Doubles lack0 = _mm512_fnmadd_pd(g0, h0, half);
    const Doubles g1 = _mm512_fmadd_pd(g0, lack0, g0);
    const Doubles h1 = _mm512_fmadd_pd(h0, lack0, h0);
    const Doubles lack1 = _mm512_fnmadd_pd(g1, h1, half);
    const Doubles g2 = _mm512_fmadd_pd(g1, lack1, g1);
    const Doubles h2 = _mm512_fmadd_pd(h1, lack1, h1);
    return _mm512_fmadd_pd(_mm512_fnmadd_pd(g2, g2, x), h2, g2);
}
inline Doubles root_of(Doubles x) {
    return all_between(x, 0x1p-900, 0x1p900) ? usual_root_of(x) : Doubles(_mm512_sqrt_pd(x));
}
inline Floats root_of(Floats x) {
    return _mm512_sqrt_ps(x);
}
inline Doubles floor_of(Doubles x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
inline Floats floor_of(Floats x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
inline Doubles nearest_of(Doubles x) {
    return _mm512_roundscale_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Floats nearest_of(Floats x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Doubles fused(Doubles a, Doubles b, Doubles c) {
    return _mm512_fmadd_pd(a, b, c);
}
inline Floats fused(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
}
#elif defined(__AVX2__)
inline bool all_hold(Vector<std::int64_t> conditions) {
    return _mm256_movemask_pd(reinterpret_cast<Doubles>(conditions)) == 0xf;
}
inline bool all_between(Doubles x, double low, double high) {
    return all_hold((x >= broadcast(low)) & (x <= broadcast(high)));
}
inline Doubles entry_of(const double (&table)[16], Vector<std::int64_t> index) {
    return _mm256_i64gather_pd(table, reinterpret_cast<__m256i>(index & 15), sizeof(double));
}
inline Doubles one_lane_on(Doubles a, Doubles b) {
    return _mm256_shuffle_pd(a, _mm256_permute2f128_pd(a, b, 0x21), 0b0101);
}
inline Doubles last_lane_of(Doubles x) {
    return _mm256_permute4x64_pd(x, 0xff);
}
inline Doubles running_sums_of(Doubles x) {
    x += Doubles(_mm256_unpacklo_pd(_mm256_setzero_pd(), x));
    const Doubles middle = _mm256_permute4x64_pd(x, 0x55);
    return x + Doubles(_mm256_blend_pd(_mm256_setzero_pd(), middle, 0b1100));
}
inline void store_past_caches(double* to, Doubles x) {
    _mm256_stream_pd(to, x);
}
inline void fence_stores() {
    _mm_sfence();
}
inline Doubles root_of(Doubles x) {
    return _mm256_sqrt_pd(x);
}
inline Floats root_of(Floats x) {
    return _mm256_sqrt_ps(x);
}
inline Doubles floor_of(Doubles x) {
    return _mm256_floor_pd(x);
}
inline Floats floor_of(Floats x) {
    return _mm256_floor_ps(x);
}
inline Doubles nearest_of(Doubles x) {
    return _mm256_round_pd(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Floats nearest_of(Floats x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline Doubles fused(Doubles a, Doubles b, Doubles c) {
    return _mm256_fmadd_pd(a, b, c);
}
inline Floats fused(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
}
#else
inline bool all_hold(Vector<std::int64_t> conditions) {
    return (conditions[0] & conditions[1]) != 0;
}
inline bool all_between(Doubles x, double low, double high) {
    return all_hold((x >= broadcast(low)) & (x <= broadcast(high)));
}
inline Doubles entry_of(const double (&table)[16], Vector<std::int64_t> index) {
    return Doubles{table[index[0] & 15], table[index[1] & 15]};
}
inline Doubles one_lane_on(Doubles a, Doubles b) {
    return __builtin_shufflevector(a, b, 1, 2);
}
inline Doubles last_lane_of(Doubles x) {
    return __builtin_shufflevector(x, x, 1, 1);
}
inline Doubles running_sums_of(Doubles x) {
    return x + __builtin_shufflevector(Doubles{}, x, 0, 2);
}
inline void store_past_caches(double* to, Doubles x) {
    store<double>(to, x);
}
inline void fence_stores() {}
// Each lane separately; the compiler uses one instruction for all lanes if there is one.
template <class Values, class Function>
Values each(Values x, Function function) {
    for (std::size_t i = 0; i < sizeof(x) / sizeof(x[0]); ++i) x[i] = function(x[i]);
    return x;
}
inline Doubles root_of(Doubles x) {
    return each(x, [](double v) { return __builtin_sqrt(v); });
}
inline Floats root_of(Floats x) {
    return each(x, [](float v) { return __builtin_sqrtf(v); });
}
inline Doubles floor_of(Doubles x) {
    return each(x, [](double v) { return __builtin_floor(v); });
}
inline Floats floor_of(Floats x) {
    return each(x, [](float v) { return __builtin_floorf(v); });
}
inline Doubles nearest_of(Doubles x) {
    return each(x, [](double v) { return __builtin_rint(v); });
}
inline Floats nearest_of(Floats x) {
    return each(x, [](float v) { return __builtin_rintf(v); });
}
inline Doubles fused(Doubles a, Doubles b, Doubles c) {
    for (std::size_t i = 0; i < width<double>; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
}
inline Floats fused(Floats a, Floats b, Floats c) {
    for (std::size_t i = 0; i < width<float>; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
}
#endif

#define FARFIELD_UNARY(function)                   \
    inline Doubles function##_of(Doubles x) {      \
        return FARFIELD_SLEEF_DOUBLE(function)(x); \
    }                                              \
    inline Floats function##_of(Floats x) {        \
        return FARFIELD_SLEEF_FLOAT(function)(x);  \
    }
#define FARFIELD_BINARY(function)                        \
    inline Doubles function##_of(Doubles x, Doubles y) { \
        return FARFIELD_SLEEF_DOUBLE(function)(x, y);    \
    }                                                    \
    inline Floats function##_of(Floats x, Floats y) {    \
        return FARFIELD_SLEEF_FLOAT(function)(x, y);     \
    }
FARFIELD_UNARY(exp2)
#define FUNCTION(name, stem, shape, parity, lanes, device, slope) FARFIELD_UNARY(stem)
#include <farfield/numerics/functions.def>
FARFIELD_BINARY(atan2)
FARFIELD_BINARY(pow)
#undef FARFIELD_UNARY
#undef FARFIELD_BINARY
#undef FARFIELD_SLEEF_DOUBLE
#undef FARFIELD_SLEEF_FLOAT

}  // namespace
}  // namespace farfield::evaluate
