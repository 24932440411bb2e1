// The same kernel for each vector width; kernel.cpp defines one of these namespaces each time it is compiled.
#pragma once

#include "evaluate/kernel/kernel.hpp"

namespace farfield::evaluate {

namespace avx512 {
const Kernel<double>& kernel(double);
const Kernel<float>& kernel(float);
}  // namespace avx512

namespace avx2 {
const Kernel<double>& kernel(double);
const Kernel<float>& kernel(float);
}  // namespace avx2

namespace sse2 {
const Kernel<double>& kernel(double);
const Kernel<float>& kernel(float);
}  // namespace sse2

}  // namespace farfield::evaluate
