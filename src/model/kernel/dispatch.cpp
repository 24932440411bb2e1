#include <vector>

#include "model/kernel/kernels.hpp"

namespace farfield::model {
namespace {

template <class Real>
std::vector<const Kernels<Real>*> find_kernels() {
    std::vector<const Kernels<Real>*> found;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        found.push_back(&avx512::model_kernels(Real{}));
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&avx2::model_kernels(Real{}));
    found.push_back(&sse2::model_kernels(Real{}));
    return found;
}

}  // namespace

template <class Real>
std::span<const Kernels<Real>* const> all_kernels() {
    static const std::vector<const Kernels<Real>*> found = find_kernels<Real>();
    return found;
}

template <class Real>
const Kernels<Real>& kernels() {
    return *all_kernels<Real>().front();
}

template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();
template std::span<const Kernels<float>* const> all_kernels<float>();
template std::span<const Kernels<double>* const> all_kernels<double>();

}  // namespace farfield::model
