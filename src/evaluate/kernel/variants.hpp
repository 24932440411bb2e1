// The same kernel for each instruction set; kernel.cpp defines one of these namespaces each time it is compiled.
#pragma once

#include "evaluate/kernel/kernel.hpp"
#include "numerics/instructions.hpp"

namespace farfield::evaluate {

#define DECLARE(set)                      \
    namespace set {                       \
    const Kernel<double>& kernel(double); \
    const Kernel<float>& kernel(float);   \
    }
FARFIELD_INSTRUCTION_SETS(DECLARE)
#undef DECLARE

}  // namespace farfield::evaluate
