// A sum of waves over a range, by angle addition; the public header states what is computed and how accurately.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <farfield/evaluate/linear_phase.hpp>

#include "evaluate/kernel/kernel.hpp"
#include "evaluate/resident.hpp"
#include "evaluate/waves.hpp"

namespace farfield::evaluate {

/// Returns memory for the values, which is the same at each call; the first call may have to allocate it.
using Destination = std::function<std::span<double>()>;

/// Like the public function. If there may be waves, they are found while another thread allocates the memory.
bool evaluate_linear_phase(const formula::Program& program, const Inputs& inputs, const Destination& destination);

/// sum_m waves[m] at every value of `range`, which are integers below 2^53, into `result`, one for each value.
void add_waves(const std::vector<Wave>& waves, const Range& range, const Kernel<double>& kernel,
               std::span<double> result);

/// Whether all values of the range are integers below 2^53.
bool are_integers(const Range& range);

/// The rest of a program in which the sums of waves that angle addition computes are varying inputs after its own.
struct WithoutWaves {
    formula::Program rest;
    std::vector<WaveLane> sums;
};

/// Empty if the program has no sums of waves. Reads the ranges, uniform values and tables of the inputs.
std::optional<WithoutWaves> without_waves(const formula::Program& program, const Inputs& inputs);

}  // namespace farfield::evaluate
