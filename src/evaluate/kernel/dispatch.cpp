#include <vector>

#include "evaluate/kernel/kernel.hpp"
#include "evaluate/kernel/variants.hpp"

namespace farfield::evaluate {

namespace {

template <class Real>
std::vector<const Kernel<Real>*> find_kernels() {
    std::vector<const Kernel<Real>*> found;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        found.push_back(&avx512::kernel(Real{}));
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&avx2::kernel(Real{}));
    found.push_back(&sse2::kernel(Real{}));
    return found;
}

}  // namespace

template <class Real>
std::span<const Kernel<Real>* const> kernels() {
    static const std::vector<const Kernel<Real>*> found = find_kernels<Real>();
    return found;
}

template std::span<const Kernel<double>* const> kernels<double>();
template std::span<const Kernel<float>* const> kernels<float>();

}  // namespace farfield::evaluate
