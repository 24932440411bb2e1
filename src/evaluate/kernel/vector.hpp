// One vector of numbers and what its instruction set and SLEEF offer for it. Only for kernel.cpp: all names are in an
// unnamed namespace, so that no two widths of one function meet in the linker.
#pragma once

#include <immintrin.h>
#include <sleef.h>

#include <cstddef>
#include <cstdint>

#include "evaluate/kernel/kernel.hpp"

namespace farfield::evaluate {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t vector_bytes = 64;
constexpr const char* kernel_name = "avx512";
constexpr std::size_t tile_rows = 12;  ///< of a matrix product: with two vectors each, most registers are sums
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
constexpr const char* kernel_name = "sse2";
constexpr std::size_t tile_rows = 4;
#define FARFIELD_SLEEF_DOUBLE(function) Sleef_##function##d2_u10sse2
#define FARFIELD_SLEEF_FLOAT(function) Sleef_##function##f4_u10sse2
#endif

/// A register full of numbers: arithmetic, comparison and ?: act on each.
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

#if defined(__AVX512F__)
inline bool all_hold(Vector<std::int64_t> conditions) {
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(conditions)) == 0xff;
}
inline Doubles root_of(Doubles x) {
    return _mm512_sqrt_pd(x);
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
    return _mm_movemask_pd(reinterpret_cast<Doubles>(conditions)) == 0x3;
}
inline Doubles root_of(Doubles x) {
    return _mm_sqrt_pd(x);
}
inline Floats root_of(Floats x) {
    return _mm_sqrt_ps(x);
}
// Without an instruction for it, each lane on its own.
template <class Values, class Function>
Values each(Values x, Function function) {
    for (std::size_t i = 0; i < sizeof(x) / sizeof(x[0]); ++i) x[i] = function(x[i]);
    return x;
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
FARFIELD_UNARY(exp)
FARFIELD_UNARY(exp2)
FARFIELD_UNARY(expm1)
FARFIELD_UNARY(log)
FARFIELD_UNARY(log1p)
FARFIELD_UNARY(log2)
FARFIELD_UNARY(sin)
FARFIELD_UNARY(cos)
FARFIELD_UNARY(tan)
FARFIELD_UNARY(tanh)
FARFIELD_UNARY(erf)
FARFIELD_BINARY(atan2)
FARFIELD_BINARY(pow)
#undef FARFIELD_UNARY
#undef FARFIELD_BINARY
#undef FARFIELD_SLEEF_DOUBLE
#undef FARFIELD_SLEEF_FLOAT

}  // namespace
}  // namespace farfield::evaluate
