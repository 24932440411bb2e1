// What timings on a device stand on: its driver and compiler, and what it cannot go below.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <farfield/core/error.hpp>

#include "evaluate/cuda/cuda_driver.hpp"
#include "evaluate/cuda/kernel_store.hpp"
#include "evaluate/cuda/prepare.hpp"

namespace farfield::bench {

using namespace farfield::evaluate;

inline constexpr unsigned threads = 256;

// Each thread's function values do not leave its registers; the condition never holds, but no compiler knows.
inline constexpr const char* floor_kernels = R"(
extern "C" __global__ void copy(const double* from, double* to, unsigned long long points) {
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < points; i += stride)
        to[i] = from[i];
}
extern "C" __global__ void fill(double* to, double value, unsigned long long points) {
    const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < points; i += stride)
        to[i] = value;
}
extern "C" __global__ void cosines(double* to, double step, unsigned long long rounds) {
    double x = threadIdx.x * step;
    double sum = 0;
    for (unsigned long long k = 0; k < rounds; ++k) {
        sum += cos(x);
        x += 1.25;
    }
    if (sum == 12345) to[0] = sum;
}
)";

inline double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
    double least;
    double median;
};

/// After one round that warms up.
inline Times times_of(int repeats, const std::function<void()>& work) {
    std::vector<double> found;
    work();
    for (int i = 0; i < repeats; ++i) found.push_back(milliseconds_of(work));
    std::sort(found.begin(), found.end());
    return {found.front(), found[found.size() / 2]};
}

inline void tell(const char* name, const Times& times) {
    std::printf(", \"%s_ms\": %.6f, \"%s_median_ms\": %.6f", name, times.least, name, times.median);
}

class Ground {
public:
    Ground() : driver_(cuda::open_driver()), compiler_(cuda::open_compiler(driver_->capability())) {
        if (!compiler_)
            throw core::MissingError("a timing on a device", "no NVRTC is installed",
                                     "the CUDA toolkit, which brings it");
        blocks_ = static_cast<unsigned>(std::max(1, driver_->processors())) * 32;
    }

    /// The device's name and, over `count` numbers, copying, filling, and cosines that leave no register.
    void tell_floors(std::size_t count, int repeats) {
        std::printf("\"device\": \"%s\", \"capability\": %d, \"processors\": %d, \"moved\": %zu",
                    driver_->device_name().c_str(), driver_->capability(), driver_->processors(), count);
        const Memory from(*driver_, count * sizeof(double));
        const Memory to(*driver_, count * sizeof(double));
        unsigned long long points = count;
        double value = 1.5;
        cuda::KernelStore kernels(*driver_, *compiler_, "");
        void* copy[] = {pointer_to(from), pointer_to(to), &points};
        void* fill[] = {pointer_to(to), &value, &points};
        const std::string text = cuda::source_prologue() + floor_kernels;
        tell("copy", times_of(repeats, [&] { run(kernels.find(text, "copy"), copy); }));
        tell("fill", times_of(repeats, [&] { run(kernels.find(text, "fill"), fill); }));
        unsigned long long rounds = 4096;
        void* cosines[] = {pointer_to(to), &value, &rounds};
        const Times times = times_of(repeats, [&] { run(kernels.find(text, "cosines"), cosines); });
        std::printf(", \"cosines_per_ms\": %.6g", static_cast<double>(blocks_) * threads * 4096 / times.least);
    }

protected:
    static void* pointer_to(const Memory& memory) { return const_cast<Store::Pointer*>(&memory.pointer()); }

    void run(cuda::Driver::Kernel kernel, void** arguments) {
        driver_->launch(kernel, blocks_, threads, arguments);
        driver_->finish();
    }

    std::unique_ptr<cuda::Driver> driver_;
    std::unique_ptr<cuda::Compiler> compiler_;
    unsigned blocks_;
};

}  // namespace farfield::bench
