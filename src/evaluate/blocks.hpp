// Programs in double and float on blocks of lanes.
#pragma once

#include <span>

#include <farfield/evaluate/evaluate.hpp>

#include "evaluate/kernel/kernel.hpp"

namespace farfield::evaluate {

/// evaluate_into() by a given kernel, for inputs that match the signature. Points are distributed over the processors
/// in whole blocks; the digits depend only on the kernel.
template <class Real>
void evaluate_blocks(const formula::Program& program, const Inputs& inputs, const Kernel<Real>& kernel,
                     std::span<double> result);

}  // namespace farfield::evaluate
