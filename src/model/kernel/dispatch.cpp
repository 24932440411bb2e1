#include "model/kernel/kernels.hpp"

namespace farfield::model {
namespace {

template <class Real>
const Kernels<Real>& widest() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        return avx512::model_kernels(Real{});
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2::model_kernels(Real{});
    return sse2::model_kernels(Real{});
}

}  // namespace

template <class Real>
const Kernels<Real>& kernels() {
    static const Kernels<Real>& chosen = widest<Real>();
    return chosen;
}

template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();

}  // namespace farfield::model
