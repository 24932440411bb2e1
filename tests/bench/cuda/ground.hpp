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
)";

// What follows leaves no thread's registers: the condition never holds, but no compiler knows.
inline constexpr const char* rate_kernels = R"(
extern "C" __global__ void rate(double* to, double step, unsigned long long rounds) {
    double x = threadIdx.x * step;
    double sum = 0;
    for (unsigned long long k = 0; k < rounds; ++k) {
        sum += EXPRESSION;
        x += blockDim.x * step;
    }
    if (sum == 12345) to[0] = sum;
}
extern "C" __global__ void multiply_adds(double* to, double factor, unsigned long long rounds) {
    double sums[8];
    for (int j = 0; j < 8; ++j) sums[j] = threadIdx.x + j;
    for (unsigned long long k = 0; k < rounds; ++k)
        for (int j = 0; j < 8; ++j) sums[j] = fma(sums[j], factor, 1.0);
    double sum = 0;
    for (int j = 0; j < 8; ++j) sum += sums[j];
    if (sum == 12345) to[0] = sum;
}
)";

/// An expression of x in CUDA C++, such as "cos(x)", timed over x from 0 to `last`: how long a function takes depends
/// on its argument.
struct Rated {
    std::string expression;
    double last;
};

/// Of "cos(x)@1e6".
inline Rated read_rated(const std::string& text) {
    const std::size_t at = text.find('@');
    return {text.substr(0, at), std::stod(text.substr(at + 1))};
}

inline std::string floor_source() {
    return cuda::source_prologue() + floor_kernels;
}

/// Of an expression of x.
inline std::string rate_source(const std::string& expression) {
    static const std::string place = "EXPRESSION";
    std::string text = rate_kernels;
    return cuda::source_prologue() + text.replace(text.find(place), place.size(), expression);
}

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
                                     "the CUDA toolkit, which contains it");
        blocks_ = static_cast<unsigned>(std::max(1, driver_->processors())) * 32;
    }

    /// The device's name and, over `count` numbers, copying, filling, and multiplications and additions that leave no
    /// register; so too each of the expressions.
    void tell_floors(std::size_t count, int repeats, const std::vector<Rated>& rated = {}) {
        std::printf("\"device\": \"%s\", \"capability\": %d, \"processors\": %d, \"moved\": %zu",
                    driver_->device_name().c_str(), driver_->capability(), driver_->processors(), count);
        const Memory from(*driver_, count * sizeof(double));
        const Memory to(*driver_, count * sizeof(double));
        unsigned long long points = count;
        double value = 1.5;
        cuda::KernelStore kernels(*driver_, *compiler_, "");
        void* copy[] = {pointer_to(from), pointer_to(to), &points};
        void* fill[] = {pointer_to(to), &value, &points};
        const std::string text = floor_source();
        tell("copy", times_of(repeats, [&] { run(kernels.find(text, "copy"), copy); }));
        tell("fill", times_of(repeats, [&] { run(kernels.find(text, "fill"), fill); }));
        // A small trial is not to take its time here.
        unsigned long long rounds = std::clamp<unsigned long long>(count / 16384, 16, 4096);
        const auto done_per_ms = [&](const std::string& expression, const char* kernel, double number, double each) {
            const auto found = kernels.find(rate_source(expression), kernel);
            void* arguments[] = {pointer_to(to), &number, &rounds};
            const Times times = times_of(repeats, [&] { run(found, arguments); });
            return each * static_cast<double>(blocks_) * threads * static_cast<double>(rounds) / times.least;
        };
        std::printf(", \"multiply_adds_per_ms\": %.6g", done_per_ms("x", "multiply_adds", 0.5, 8));
        for (const Rated& one : rated) {
            const double step = one.last / (threads * static_cast<double>(rounds));
            std::printf(", \"%s_per_ms\": %.6g", one.expression.c_str(), done_per_ms(one.expression, "rate", step, 1));
        }
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
