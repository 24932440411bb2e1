// A device whose driver, compiler and operations are the host's: for the logic of devices, and for what fails on one.
#pragma once

#include <cstring>

#include <farfield/evaluate/device.hpp>

#include "evaluate/cuda/device.hpp"
#include "evaluate/cuda_on_host.hpp"
#include "evaluate/host_fourier.hpp"
#include "support/built_in_kernels.hpp"

namespace farfield::tests {

/// What a test arranges and afterwards asks.
struct Machine {
    std::size_t memory = std::size_t{1} << 30;  ///< bytes of the largest allocation
    std::size_t launches_until_lost = 1000000;
    std::size_t compilations = 0;
    std::size_t launches = 0;
    std::size_t allocated = 0;
    std::size_t copied_out = 0;  ///< bytes
    std::vector<std::string> reports;
    std::size_t calls = 0;  ///< of everything that may fail
    std::size_t failing_call = ~std::size_t{0};
    evaluate::MachineError::Kind failure = evaluate::MachineError::Kind::memory;
    bool is_lost = false;

    void call(const char* name) {
        if (calls++ == failing_call) is_lost = failure == evaluate::MachineError::Kind::lost;
        if (calls == failing_call + 1) throw evaluate::MachineError(failure, name, "a failure that a test arranged");
        if (is_lost) throw evaluate::MachineError(failure, name, "nothing answers");
    }
};

class HostDriver : public evaluate::cuda::Driver {
public:
    explicit HostDriver(Machine& machine) : machine_(machine) {}

    std::string device_name() const override { return "host"; }
    int capability() const override { return 90; }
    int processors() const override { return 2; }
    Pointer allocate(std::size_t bytes) override {
        machine_.call("allocate");
        if (bytes > machine_.memory)
            throw evaluate::MachineError(evaluate::MachineError::Kind::memory, "allocate", "out of memory");
        ++machine_.allocated;
        return reinterpret_cast<Pointer>(std::malloc(bytes));
    }
    void release(Pointer memory) noexcept override {
        --machine_.allocated;
        std::free(reinterpret_cast<void*>(memory));
    }
    void copy_in(Pointer to, const void* from, std::size_t bytes) override {
        machine_.call("copy_in");
        std::memcpy(reinterpret_cast<void*>(to), from, bytes);
    }
    void copy_out(void* to, Pointer from, std::size_t bytes) override {
        machine_.call("copy_out");
        machine_.copied_out += bytes;
        std::memcpy(to, reinterpret_cast<void*>(from), bytes);
    }
    Kernel load(std::string_view image, const std::string& name) override {
        machine_.call("load");
        if (const HostKernel kernel = built_in_kernel(name)) return reinterpret_cast<Kernel>(kernel);
        const std::string file = std::to_string(loaded_++) + ".so";
        folder_.write(file, std::string(image));
        void* library = dlopen(folder_.path(file).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) throw evaluate::MachineError(evaluate::MachineError::Kind::image, "load", dlerror());
        return dlsym(library, ("run_" + name).c_str());
    }
    void launch(Kernel kernel, unsigned blocks, unsigned threads, void** arguments) override {
        machine_.call("launch");
        if (machine_.launches++ >= machine_.launches_until_lost)
            throw evaluate::MachineError(evaluate::MachineError::Kind::lost, "launch", "the device fell off the bus");
        reinterpret_cast<HostKernel>(kernel)(blocks, threads, arguments);
    }
    void finish() override { machine_.call("finish"); }

private:
    Machine& machine_;
    Folder folder_;
    int loaded_ = 0;
};

class HostCompiler : public evaluate::cuda::Compiler {
public:
    explicit HostCompiler(Machine& machine) : machine_(machine) {}
    const std::string& identity() const override { return identity_; }
    std::string compile(const std::string& text) override {
        ++machine_.compilations;
        const Folder folder;
        const std::size_t end_of_include = text.find('\n') + 1;
        compile_for_host(
            text.substr(0, end_of_include) + cuda_on_host_prologue + text.substr(end_of_include) + entry_of("formula"),
            folder);
        return folder.read("kernels.so");
    }
    const std::string& log() const override { return identity_; }

private:
    Machine& machine_;
    std::string identity_ = "host";
};

/// The operations of the processors' machine, in the memory of the host's driver.
inline std::unique_ptr<evaluate::Operations> operations_on_host(evaluate::Store& store) {
    return evaluate::host_operations(store, std::make_unique<HostFourier>());
}

inline std::unique_ptr<evaluate::Device> device_of(Machine& machine, const std::string& cache = {},
                                                   std::size_t fewest_points = 4096) {
    evaluate::DeviceOptions options;
    options.cache = cache;
    options.fewest_points = fewest_points;
    options.report = [&machine](const std::string& text) { machine.reports.push_back(text); };
    return std::make_unique<evaluate::cuda::CudaDevice>(
        std::make_unique<HostDriver>(machine),
        evaluate::cuda::Tools{std::make_unique<HostCompiler>(machine), operations_on_host}, options);
}

/// One whose NVRTC is not installed.
inline std::unique_ptr<evaluate::Device> interpreting_device(Machine& machine, std::size_t fewest_points = 1) {
    evaluate::DeviceOptions options;
    options.fewest_points = fewest_points;
    options.report = [&machine](const std::string& text) { machine.reports.push_back(text); };
    return std::make_unique<evaluate::cuda::CudaDevice>(std::make_unique<HostDriver>(machine),
                                                        evaluate::cuda::Tools{nullptr, operations_on_host}, options);
}

/// A program and its inputs on a device, as evaluate_into() asks for it.
inline bool evaluated_there(evaluate::Device& device, const formula::Program& program, const evaluate::Inputs& inputs,
                            const evaluate::NumberSystem& system, std::span<double> result) {
    std::vector<evaluate::DeviceLane> lanes;
    for (const evaluate::Lane& lane : inputs.varying)
        std::visit([&](const auto& values) { lanes.emplace_back(values); }, lane);
    return device.evaluate_into({program, system, inputs.uniform, lanes, inputs.tables, inputs.points}, result);
}

}  // namespace farfield::tests
