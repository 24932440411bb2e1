#include "evaluate/cuda/cuda_driver.hpp"

#include <cuda.h>

#include <cstdint>
#include <limits>
#include <vector>

#include <farfield/core/error.hpp>

#include "evaluate/cuda/shared_library.hpp"

namespace farfield::evaluate::cuda {

namespace {

// Every driver function that is used. cuda.h renames some to their newest version, and so does this list.
#define FARFIELD_DRIVER_FUNCTIONS(function)                                                            \
    function(cuInit) function(cuDeviceGetCount) function(cuDeviceGet) function(cuDeviceGetName)        \
        function(cuDeviceGetAttribute) function(cuDevicePrimaryCtxRetain) function(cuCtxSetCurrent)    \
            function(cuCtxSynchronize) function(cuMemAlloc) function(cuMemFree) function(cuMemcpyHtoD) \
                function(cuMemcpyDtoH) function(cuModuleLoadData) function(cuModuleGetFunction)        \
                    function(cuLaunchKernel) function(cuGetErrorName) function(cuGetErrorString)
// Functions that a driver has from CUDA 11.2 on.
#define FARFIELD_POOL_FUNCTIONS(function)                                                         \
    function(cuDeviceGetDefaultMemPool) function(cuMemPoolSetAttribute) function(cuMemAllocAsync) \
        function(cuMemFreeAsync)
#define FARFIELD_TEXT_OF(name) #name
#define FARFIELD_TEXT(name) FARFIELD_TEXT_OF(name)

struct Functions {
#define FARFIELD_MEMBER(name) decltype(&::name) name##_ = nullptr;
    FARFIELD_DRIVER_FUNCTIONS(FARFIELD_MEMBER)
    FARFIELD_POOL_FUNCTIONS(FARFIELD_MEMBER)
#undef FARFIELD_MEMBER

    /// The name of a missing function; null if the library has all.
    const char* bind(const SharedLibrary& library) {
#define FARFIELD_BIND(name)                                                           \
    name##_ = reinterpret_cast<decltype(name##_)>(library.find(FARFIELD_TEXT(name))); \
    if (name##_ == nullptr) return FARFIELD_TEXT(name);
        FARFIELD_DRIVER_FUNCTIONS(FARFIELD_BIND)
#undef FARFIELD_BIND
        has_pools = bind_pools(library) == nullptr;
        return nullptr;
    }

    bool has_pools = false;

private:
    const char* bind_pools(const SharedLibrary& library) {
#define FARFIELD_BIND(name)                                                           \
    name##_ = reinterpret_cast<decltype(name##_)>(library.find(FARFIELD_TEXT(name))); \
    if (name##_ == nullptr) return FARFIELD_TEXT(name);
        FARFIELD_POOL_FUNCTIONS(FARFIELD_BIND)
#undef FARFIELD_BIND
        return nullptr;
    }
};

[[noreturn]] void lacks(const std::string& reason, const std::string& advice) {
    throw core::MissingError("--device cuda", reason, advice);
}

MachineError::Kind kind_of(CUresult status) {
    switch (status) {
        case CUDA_ERROR_OUT_OF_MEMORY: return MachineError::Kind::memory;
        case CUDA_ERROR_INVALID_IMAGE:
        case CUDA_ERROR_NO_BINARY_FOR_GPU:
        case CUDA_ERROR_INVALID_PTX:
        case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        case CUDA_ERROR_INVALID_SOURCE:
        case CUDA_ERROR_NOT_FOUND: return MachineError::Kind::image;
        case CUDA_ERROR_INVALID_VALUE:
        case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES: return MachineError::Kind::other;
        // After any other error the context is unusable.
        default: return MachineError::Kind::lost;
    }
}

class CudaDriver : public Driver {
public:
    explicit CudaDriver(const Functions& functions) : cuda_(functions) {
        check(cuda_.cuInit_(0), "cuInit");
        int count = 0;
        check(cuda_.cuDeviceGetCount_(&count), "cuDeviceGetCount");
        if (count == 0) throw MachineError(MachineError::Kind::other, "cuDeviceGetCount", "there is no device");
        check(cuda_.cuDeviceGet_(&device_, 0), "cuDeviceGet");
        check(cuda_.cuDevicePrimaryCtxRetain_(&context_, device_), "cuDevicePrimaryCtxRetain");
        make_current();
        if (cuda_.has_pools && attribute(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) != 0) keep_released_memory();
    }

    std::string device_name() const override {
        std::string name(256, '\0');
        check(cuda_.cuDeviceGetName_(name.data(), static_cast<int>(name.size()), device_), "cuDeviceGetName");
        name.resize(name.find('\0'));
        return name;
    }
    int capability() const override {
        return 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
               attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    }
    int processors() const override { return attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT); }

    Pointer allocate(std::size_t bytes) override {
        make_current();
        CUdeviceptr memory = 0;
        const std::string size = " of " + std::to_string(bytes) + " bytes";
        if (has_pool_)
            check(cuda_.cuMemAllocAsync_(&memory, bytes, nullptr), "cuMemAllocAsync" + size);
        else
            check(cuda_.cuMemAlloc_(&memory, bytes), "cuMemAlloc" + size);
        return memory;
    }
    void release(Pointer memory) noexcept override {
        if (has_pool_)
            cuda_.cuMemFreeAsync_(memory, nullptr);
        else
            cuda_.cuMemFree_(memory);
    }
    void copy_in(Pointer to, const void* from, std::size_t bytes) override {
        make_current();
        check(cuda_.cuMemcpyHtoD_(to, from, bytes), "cuMemcpyHtoD");
    }
    void copy_out(void* to, Pointer from, std::size_t bytes) override {
        make_current();
        check(cuda_.cuMemcpyDtoH_(to, from, bytes), "cuMemcpyDtoH");
    }
    Kernel load(std::string_view image, const std::string& name) override {
        make_current();
        CUmodule module = nullptr;
        // PTX is text that must end in a zero byte; machine code contains its length.
        const std::string whole(image);
        check(cuda_.cuModuleLoadData_(&module, whole.c_str()), "cuModuleLoadData");
        CUfunction function = nullptr;
        check(cuda_.cuModuleGetFunction_(&function, module, name.c_str()), "cuModuleGetFunction of " + name);
        return function;
    }
    void launch(Kernel kernel, unsigned blocks, unsigned threads, void** arguments) override {
        make_current();
        check(cuda_.cuLaunchKernel_(static_cast<CUfunction>(kernel), blocks, 1, 1, threads, 1, 1, 0, nullptr, arguments,
                                    nullptr),
              "cuLaunchKernel");
    }
    void finish() override {
        make_current();
        check(cuda_.cuCtxSynchronize_(), "cuCtxSynchronize");
    }

private:
    // Allocating and freeing gigabytes on the device takes longer than filling them. Therefore released memory stays in
    // the driver's pool, which returns it if another allocation needs it. All work is on one stream, and memory is
    // allocated and freed in its order.
    void keep_released_memory() {
        CUmemoryPool pool = nullptr;
        std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        check(cuda_.cuDeviceGetDefaultMemPool_(&pool, device_), "cuDeviceGetDefaultMemPool");
        check(cuda_.cuMemPoolSetAttribute_(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &all), "cuMemPoolSetAttribute");
        has_pool_ = true;
    }

    // A study computes on its own threads.
    void make_current() const { check(cuda_.cuCtxSetCurrent_(context_), "cuCtxSetCurrent"); }

    int attribute(CUdevice_attribute which) const {
        int value = 0;
        check(cuda_.cuDeviceGetAttribute_(&value, which, device_), "cuDeviceGetAttribute");
        return value;
    }

    void check(CUresult status, const std::string& call) const {
        if (status == CUDA_SUCCESS) return;
        const char* name = nullptr;
        const char* meaning = nullptr;
        cuda_.cuGetErrorName_(status, &name);
        cuda_.cuGetErrorString_(status, &meaning);
        throw MachineError(kind_of(status), call,
                           std::string(name != nullptr ? name : std::to_string(static_cast<int>(status))) + ", " +
                               (meaning != nullptr ? meaning : "an error without a text"));
    }

    Functions cuda_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    bool has_pool_ = false;
};

}  // namespace

std::unique_ptr<Driver> open_driver() {
    const SharedLibrary library({"libcuda.so.1", "libcuda.so"});
    if (!library.is_open()) {
        lacks("no CUDA driver: looked for libcuda.so.1 (" + library.problem() + ")",
              "NVIDIA's driver for the device (on Debian nvidia-driver), or --device cpu");
    }
    Functions functions;
    if (const char* name = functions.bind(library))
        lacks("the CUDA driver is too old: it has no " + std::string(name),
              "a driver for CUDA 11 or later, or --device cpu");
    try {
        return std::make_unique<CudaDriver>(functions);
    } catch (const MachineError& error) {
        lacks(std::string("the CUDA driver has no device for us: ") + error.what(),
              "nvidia-smi lists what there is; CUDA_VISIBLE_DEVICES may hide it; or --device cpu");
    }
}

}  // namespace farfield::evaluate::cuda
