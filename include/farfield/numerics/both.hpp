// Functions that a processor and a CUDA device compile from one source.
#pragma once

#if defined(__CUDACC_RTC__)
#define FARFIELD_BOTH __device__ inline
#define FARFIELD_RARE __device__ __noinline__
#elif defined(__CUDACC__)
#define FARFIELD_BOTH __host__ __device__ inline
#define FARFIELD_RARE __host__ __device__ __noinline__
#else
#include <cmath>
#define FARFIELD_BOTH inline
#define FARFIELD_RARE inline __attribute__((noinline))
#endif
// Loops that are seldom run stay loops: unrolled they would take long to compile.
#if defined(__CUDACC__)
#define FARFIELD_ROLLED _Pragma("unroll 1")
#define FARFIELD_UNROLLED _Pragma("unroll")
#else
#define FARFIELD_ROLLED
#define FARFIELD_UNROLLED
#endif
