// The operations of a CUDA device.
#pragma once

#include <memory>

#include "evaluate/machine/operations.hpp"

namespace farfield::evaluate::cuda {

/// Operations over a store in the memory of the device whose context is current. Null if CUDA's run time library finds
/// no device.
std::unique_ptr<Operations> open_operations(Store& store);

/// cuFFT, opened at run time. Null if it is not installed.
std::unique_ptr<Fourier> open_fourier();

}  // namespace farfield::evaluate::cuda
