// The functions of this module in a build without the CUDA toolkit.
#include <farfield/core/error.hpp>
#include <farfield/evaluate/device.hpp>

namespace farfield::evaluate {

std::unique_ptr<Device> open_cuda(const DeviceOptions&) {
    throw core::MissingError("--device cuda", "this build has no CUDA: nvcc was not there when it was made",
                             "install NVIDIA's CUDA toolkit and build again with -Dcuda=enabled, or --device cpu");
}

}  // namespace farfield::evaluate
