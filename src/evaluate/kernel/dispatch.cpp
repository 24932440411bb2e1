#include <vector>

#include "evaluate/kernel/kernel.hpp"
#include "evaluate/kernel/variants.hpp"

namespace farfield::evaluate {

namespace {

template <class Real>
std::vector<const Kernel<Real>*> find_kernels() {
    std::vector<const Kernel<Real>*> found;
#define ADD(set) \
    if (numerics::runs::set()) found.push_back(&set::kernel(Real{}));
    FARFIELD_INSTRUCTION_SETS(ADD)
#undef ADD
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
