#include "evaluate/cuda/device.hpp"

#include <algorithm>
#include <utility>

#include "evaluate/cuda/cuda_driver.hpp"

namespace farfield::evaluate::cuda {

namespace {

constexpr unsigned threads = 256;
// Enough blocks to fill every processor some times over; each thread takes the points that are left in strides.
constexpr std::size_t blocks_a_processor = 32;

template <class Values>
Memory upload(Driver& driver, const Values& values) {
    // No memory has no bytes, and a kernel may not read it.
    const std::size_t bytes = values.size() * sizeof(values[0]);
    Memory memory(driver, std::max<std::size_t>(bytes, sizeof(double)));
    if (bytes > 0) driver.copy_in(memory.pointer(), values.data(), bytes);
    return memory;
}

/// A kernel's parameters in the order that source.hpp gives; their addresses stay.
struct Parameters {
    unsigned long long first;
    unsigned long long points;
    std::vector<Memory> memory;
    std::vector<double> numbers;
    std::vector<void*> pointers;

    Parameters(std::size_t begin, std::size_t count, std::size_t memories, std::size_t values)
        : first(begin), points(count) {
        memory.reserve(memories);
        numbers.reserve(values);
        pointers = {&first, &points};
    }
    void add(Memory uploaded) { pointers.push_back(pointer_to(memory.emplace_back(std::move(uploaded)))); }
    void add(double number) { pointers.push_back(&numbers.emplace_back(number)); }
    static void* pointer_to(const Memory& each) { return const_cast<Driver::Pointer*>(&each.pointer()); }
};

}  // namespace

CudaDevice::CudaDevice(std::unique_ptr<Driver> driver, std::unique_ptr<Compiler> compiler, DeviceOptions options)
    : driver_(std::move(driver)), compiler_(std::move(compiler)), options_(std::move(options)) {
    name_ = "cuda: " + driver_->device_name() + ", sm_" + std::to_string(driver_->capability());
    if (compiler_) kernels_.emplace(*driver_, *compiler_, options_.cache);
}

void CudaDevice::report_once(const std::string& text) {
    if (std::find(reported_.begin(), reported_.end(), text) != reported_.end()) return;
    reported_.push_back(text);
    options_.report(text);
}

bool CudaDevice::evaluate_into(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                               std::span<double> result) {
    using Kind = NumberSystem::Kind;
    const bool own = system.kind == Kind::multiprecision || system.kind == Kind::interval;
    if (is_lost_ || own || inputs.points < std::max<std::size_t>(options_.fewest_points, 1)) return false;
    try {
        run(program, inputs, system, result);
        ++evaluations_;
        return true;
    } catch (const DriverError& error) {
        is_lost_ = error.kind() == DriverError::Kind::lost;
        report_once(name_ + ": " + error.what() +
                    (is_lost_ ? "\n   the device is lost to this run; the processor goes on alone"
                              : "\n   the processor does this work instead"));
        return false;
    }
}

void CudaDevice::run(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                     std::span<double> result) {
    const Prepared prepared = prepare(program, inputs, system, "formula", "a formula");
    if (prepared.constant) {
        std::fill(result.begin(), result.end(), *prepared.constant);
        return;
    }
    if (!kernels_)
        throw DriverError(DriverError::Kind::other, "libnvrtc", "it is not installed, so formulas are not compiled");
    run_chunks(kernels_->find(source_prologue() + prepared.source.text, "formula"), prepared, inputs, result);
}

void CudaDevice::reserve(std::size_t bytes) {
    if (result_ && result_->bytes() >= bytes) return;
    result_.reset();
    result_.emplace(*driver_, bytes);
}

void CudaDevice::run_chunks(Driver::Kernel kernel, const Prepared& prepared, const Inputs& inputs,
                            std::span<double> result) {
    std::size_t length = std::min(result.size(), most_points);
    for (std::size_t first = 0; first < result.size();) {
        const std::size_t count = std::min(length, result.size() - first);
        try {
            run_chunk(kernel, prepared, inputs, first, result.subspan(first, count));
        } catch (const DriverError& error) {
            // Half as much may do.
            if (error.kind() != DriverError::Kind::memory || count / 2 < fewest_points) throw;
            result_.reset();
            length = count / 2;
            continue;
        }
        first += count;
    }
}

void CudaDevice::run_chunk(Driver::Kernel kernel, const Prepared& prepared, const Inputs& inputs, std::size_t first,
                           std::span<double> result) {
    reserve(result.size() * sizeof(double));
    Parameters parameters(first, result.size(), 2 + inputs.varying.size() + inputs.tables.size(),
                          2 * inputs.varying.size() + inputs.tables.size());
    parameters.pointers.push_back(Parameters::pointer_to(*result_));
    parameters.add(upload(*driver_, prepared.uniform));
    if (!prepared.source.remembered.empty()) parameters.add(upload(*driver_, prepared.remembered));
    for (const Lane& lane : inputs.varying) {
        if (const Range* range = std::get_if<Range>(&lane)) {
            parameters.add(range->from);
            parameters.add(range->step);
        } else {
            parameters.add(upload(*driver_, std::get<std::span<const double>>(lane).subspan(first, result.size())));
        }
    }
    for (const std::span<const double>& table : inputs.tables) {
        parameters.add(upload(*driver_, table));
        parameters.add(static_cast<double>(table.size()));
    }
    const std::size_t wanted = (result.size() + threads - 1) / threads;
    const std::size_t most = static_cast<std::size_t>(std::max(1, driver_->processors())) * blocks_a_processor;
    driver_->launch(kernel, static_cast<unsigned>(std::min(wanted, most)), threads, parameters.pointers.data());
    driver_->finish();
    driver_->copy_out(result.data(), result_->pointer(), result.size() * sizeof(double));
}

}  // namespace farfield::evaluate::cuda

namespace farfield::evaluate {

std::unique_ptr<Device> open_cuda(const DeviceOptions& options) {
    std::unique_ptr<cuda::Driver> driver = cuda::open_driver();
    std::unique_ptr<cuda::Compiler> compiler = cuda::open_compiler(driver->capability());
    return std::make_unique<cuda::CudaDevice>(std::move(driver), std::move(compiler), options);
}

}  // namespace farfield::evaluate
