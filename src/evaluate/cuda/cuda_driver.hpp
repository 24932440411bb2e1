// CUDA's own driver and run-time compiler.
#pragma once

#include <memory>
#include <string>

#include "evaluate/cuda/driver.hpp"

namespace farfield::evaluate::cuda {

/// The first device of the driver. Throws core::MissingError if there is no driver or no device.
std::unique_ptr<Driver> open_driver();

/// NVRTC for a device of this capability (90 for sm_90). It produces machine code if it knows the device, and otherwise
/// PTX of the newest older architecture. Null if NVRTC is not installed.
std::unique_ptr<Compiler> open_compiler(int capability);

}  // namespace farfield::evaluate::cuda
