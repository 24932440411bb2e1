// The operations of a CUDA device: Thrust's CUDA system, in a namespace of its own. CUDA's run time library uses the
// context that the driver made current.
#define THRUST_CUB_WRAPPED_NAMESPACE farfield_cuda
#define FARFIELD_MACHINE on_cuda
#include "evaluate/machine/thrust_operations.hpp"

#include <cuda_runtime_api.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system_error.h>

#include "evaluate/cuda/operations.hpp"

namespace farfield::evaluate::cuda {

namespace {

MachineError error_of(cudaError_t status, const char* call) {
    MachineError::Kind kind = MachineError::Kind::lost;
    if (status == cudaErrorMemoryAllocation) kind = MachineError::Kind::memory;
    if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorInvalidKernelImage ||
        status == cudaErrorUnsupportedPtxVersion)
        kind = MachineError::Kind::image;
    return {kind, call, std::string(cudaGetErrorName(status)) + ", " + cudaGetErrorString(status)};
}

struct CudaSystem {
    template <class Function>
    static void for_each(std::size_t count, const Function& function) {
        try {
            const on_cuda::thrust::counting_iterator<std::size_t> first(0);
            on_cuda::thrust::for_each(on_cuda::thrust::cuda::par, first, first + static_cast<std::ptrdiff_t>(count),
                                      function);
        } catch (const on_cuda::thrust::system_error& error) {
            throw error_of(static_cast<cudaError_t>(error.code().value()), "Thrust's for_each");
        }
    }
};

}  // namespace

std::unique_ptr<Operations> open_operations(Store& store) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return nullptr;
    return std::make_unique<on_cuda::ThrustOperations<CudaSystem>>(store, open_fourier());
}

}  // namespace farfield::evaluate::cuda
