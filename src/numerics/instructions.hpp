// Vector instructions: the sets for which kernels are compiled, and which of them this processor supports. Only this
// header decides this; the compiler's flags for each are in meson.build, under `instruction_sets`.
#pragma once

namespace farfield::numerics {

/// USE(set) for each, the widest first. A kernel's source is compiled once for each set, in a namespace with the set's
/// name. `base` has vectors of 128 bits, which every processor supports.
#if defined(__x86_64__)
#define FARFIELD_INSTRUCTION_SETS(USE) USE(avx512) USE(avx2) USE(base)
#else
#define FARFIELD_INSTRUCTION_SETS(USE) USE(base)
#endif

/// Whether this processor can run code that was compiled for the set.
namespace runs {
#if defined(__x86_64__)
inline bool avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}
inline bool avx2() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#endif
inline bool base() {
    return true;
}
}  // namespace runs

}  // namespace farfield::numerics
