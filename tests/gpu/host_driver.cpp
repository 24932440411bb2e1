// The functions of CUDA's driver that farfield calls, on the host: memory is the host's, a module is a shared library
// that host_nvrtc.cpp made or, for PTX, the kernels that farfield brings; a launch calls a kernel for every thread in
// turn. Put before the real one by LD_LIBRARY_PATH, it lets the whole program run with --device cuda where no device
// is.
#include <cuda.h>
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

#include "support/built_in_kernels.hpp"

namespace {

// Modules live as long as the program.
struct Module {
    void* library;  ///< null: the kernels that farfield brings
};

}  // namespace

extern "C" {

CUresult cuInit(unsigned) {
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int* count) {
    *count = 1;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char* name, int length, CUdevice) {
    std::strncpy(name, "a processor in a device's place", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice) {
    *value = which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9
             : which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT   ? 2
                                                                   : 0;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
    *context = nullptr;
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) {
    return CUDA_SUCCESS;
}
CUresult cuCtxSynchronize() {
    return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr* memory, std::size_t bytes) {
    *memory = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
    return *memory == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr memory) {
    std::free(reinterpret_cast<void*>(memory));
    return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    // host_nvrtc.cpp gives the file of a library: its image is this path.
    static std::deque<Module> modules;
    const char* path = static_cast<const char*>(image);
    const bool is_ptx = std::string_view(path).find(".version") != std::string_view::npos;
    void* library = is_ptx ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr && !is_ptx) return CUDA_ERROR_INVALID_IMAGE;
    *module = reinterpret_cast<CUmodule>(&modules.emplace_back(Module{library}));
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    void* const library = reinterpret_cast<Module*>(module)->library;
    void* const found = library != nullptr ? dlsym(library, (std::string("run_") + name).c_str())
                                           : reinterpret_cast<void*>(farfield::tests::built_in_kernel(name));
    *function = reinterpret_cast<CUfunction>(found);
    return found == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                        unsigned, CUstream, void** arguments, void**) {
    reinterpret_cast<farfield::tests::HostKernel>(function)(blocks, threads, arguments);
    return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult, const char** name) {
    *name = "an error of the host's driver";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult, const char** text) {
    *text = "of a module or of memory";
    return CUDA_SUCCESS;
}
}
