// Times formulas on a CUDA device, and what the device cannot go below: copying, writing, functions without memory.
//
// Usage: cuda_timing FORMULA COUNT SYSTEM REPEATS. Prints one JSON object: times in milliseconds, each the least and
// the median of REPEATS; status 3 where there is no device.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <farfield/core/error.hpp>
#include <farfield/formula/parser.hpp>

#include "evaluate/cuda/cuda_driver.hpp"
#include "evaluate/cuda/device.hpp"
#include "evaluate/cuda/kernel_store.hpp"
#include "evaluate/cuda/prepare.hpp"
#include "support/folder.hpp"

using namespace farfield;
using namespace farfield::evaluate;

namespace {

constexpr unsigned threads = 256;

// Each thread's function values do not leave its registers; the condition never holds, but no compiler knows.
constexpr const char* floor_kernels = R"(
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

double milliseconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Times {
    double least;
    double median;
};

/// After one round that warms up.
Times times_of(int repeats, const std::function<void()>& work) {
    std::vector<double> found;
    work();
    for (int i = 0; i < repeats; ++i) found.push_back(milliseconds_of(work));
    std::sort(found.begin(), found.end());
    return {found.front(), found[found.size() / 2]};
}

class Bench {
public:
    Bench() : driver_(cuda::open_driver()), compiler_(cuda::open_compiler(driver_->capability())) {
        if (!compiler_)
            throw core::MissingError("cuda_timing", "no NVRTC is installed", "the CUDA toolkit, which brings it");
        blocks_ = static_cast<unsigned>(std::max(1, driver_->processors())) * 32;
    }

    void tell_device() {
        std::printf("\"device\": \"%s\", \"capability\": %d, \"processors\": %d", driver_->device_name().c_str(),
                    driver_->capability(), driver_->processors());
    }

    void tell(const char* name, const Times& times) {
        std::printf(", \"%s_ms\": %.6f, \"%s_median_ms\": %.6f", name, times.least, name, times.median);
    }

    void floors(std::size_t count, int repeats) {
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

    /// The kernel alone, its results left on the device.
    void formula(const formula::Program& program, const Inputs& inputs, const NumberSystem& system, int repeats) {
        const cuda::Prepared prepared = cuda::prepare(program, inputs, system, "formula", "a formula");
        const tests::Folder folder;
        const std::string text = cuda::source_prologue() + prepared.source.text;
        for (const char* name : {"first_use", "cached_use"}) {
            cuda::KernelStore kernels(*driver_, *compiler_, folder.path());
            std::printf(", \"%s_ms\": %.6f", name, milliseconds_of([&] { kernels.find(text, "formula"); }));
        }
        cuda::KernelStore kernels(*driver_, *compiler_, folder.path());
        const Memory result(*driver_, inputs.points * sizeof(double));
        const Memory uniform(*driver_, prepared.uniform.size() + sizeof(double));
        const Memory remembered(*driver_, prepared.remembered.size() + sizeof(double));
        driver_->copy_in(uniform.pointer(), prepared.uniform.data(), prepared.uniform.size());
        driver_->copy_in(remembered.pointer(), prepared.remembered.data(), prepared.remembered.size());
        unsigned long long first = 0;
        unsigned long long points = inputs.points;
        Range range = std::get<Range>(inputs.varying[0]);
        std::vector<void*> arguments = {&first, &points, pointer_to(result), pointer_to(uniform)};
        if (!prepared.source.remembered.empty()) arguments.push_back(pointer_to(remembered));
        arguments.push_back(&range.from);
        arguments.push_back(&range.step);
        const auto kernel = kernels.find(text, "formula");
        tell("kernel", times_of(repeats, [&] { run(kernel, arguments.data()); }));
        tell_values(program, inputs, system, result);
    }

    /// From the call to the values in the processor's memory, by the way that studies take: sums of waves by angle
    /// addition.
    void whole(const formula::Program& program, const Inputs& inputs, const NumberSystem& system, int repeats) {
        const std::unique_ptr<Device> device = open_cuda({});
        const OnDevice scope(device.get());
        std::vector<double> values(inputs.points);
        tell("whole", times_of(repeats, [&] { evaluate_into(program, inputs, system, values); }));
        std::printf(", \"whole_on_device\": %s", device->evaluations() > 0 ? "true" : "false");
    }

private:
    static void* pointer_to(const Memory& memory) { return const_cast<cuda::Driver::Pointer*>(&memory.pointer()); }

    void run(cuda::Driver::Kernel kernel, void** arguments) {
        driver_->launch(kernel, blocks_, threads, arguments);
        driver_->finish();
    }

    /// The largest difference from the processor at some points, as a share of the largest value.
    void tell_values(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                     const Memory& result) {
        std::vector<double> found(std::min<std::size_t>(inputs.points, 100000));
        driver_->copy_out(found.data(), result.pointer(), found.size() * sizeof(double));
        Inputs few = inputs;
        few.points = found.size();
        std::get<Range>(few.varying[0]).count = found.size();
        const std::vector<double> wanted = evaluate::evaluate(program, few, system);
        double largest = 0, worst = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            largest = std::max(largest, std::fabs(wanted[i]));
            worst = std::max(worst, std::fabs(wanted[i] - found[i]));
        }
        std::printf(", \"largest_difference\": %.6g", worst / largest);
    }

    std::unique_ptr<cuda::Driver> driver_;
    std::unique_ptr<cuda::Compiler> compiler_;
    unsigned blocks_;
};

void run(const std::vector<std::string>& arguments) {
    const std::size_t count = std::stoull(arguments.at(1));
    const int repeats = std::stoi(arguments.at(3));
    const formula::Program program = formula::compile(formula::parse(arguments.at(0)), {{}, {"n"}, {}});
    const Inputs inputs{{}, {Range{0, 1, count}}, {}, count};
    Bench bench;
    std::printf("{");
    bench.tell_device();
    bench.floors(std::min<std::size_t>(count, 100000000), repeats);
    const NumberSystem system = read_number_system(arguments.at(2));
    bench.formula(program, inputs, system, repeats);
    bench.whole(program, inputs, system, std::min(repeats, 3));
    std::printf("}\n");
}

}  // namespace

int main(int count, char** words) {
    try {
        run({words + 1, words + count});
        return 0;
    } catch (const core::MissingError& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 3;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "cuda_timing: %s\n", error.what());
        return 1;
    }
}
