// A sum of waves over a range, by angle addition; the public header says what and how exactly.
#pragma once

#include <span>
#include <vector>

#include <farfield/evaluate/linear_phase.hpp>

#include "evaluate/kernel/kernel.hpp"
#include "evaluate/waves.hpp"

namespace farfield::evaluate {

/// sum_m waves[m] at every value of `range`, which are integers below 2^53, into `result`, one for each value.
void add_waves(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel,
               std::span<double> result);

}  // namespace farfield::evaluate
