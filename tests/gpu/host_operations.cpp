// The processors' operations on rows in place of a CUDA device's: a program that is linked with this takes them instead
// of those of CUDA's run time library, over the memory of whatever driver it opens (host_driver.cpp).
#include "evaluate/cuda/operations.hpp"
#include "evaluate/host_fourier.hpp"

namespace farfield::evaluate::cuda {

std::unique_ptr<Operations> open_operations(Store& store) {
    return host_operations(store, std::make_unique<tests::HostFourier>());
}

}  // namespace farfield::evaluate::cuda
