// A device that evaluates programs by generated kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include <farfield/evaluate/device.hpp>

#include "evaluate/cuda/driver.hpp"
#include "evaluate/cuda/kernel_store.hpp"
#include "evaluate/cuda/prepare.hpp"

namespace farfield::evaluate::cuda {

class CudaDevice : public Device {
public:
    /// `compiler` may be null: then an interpreter of the flat program runs, slower.
    CudaDevice(std::unique_ptr<Driver> driver, std::unique_ptr<Compiler> compiler, DeviceOptions options);

    const std::string& name() const override { return name_; }
    bool evaluate_into(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                       std::span<double> result) override;
    bool sum_waves(const std::vector<Wave>& waves, const Range& range, std::span<double> result) override;
    std::size_t evaluations() const override { return evaluations_; }

    /// Points computed at once at most; less where memory does not suffice.
    static constexpr std::size_t most_points = std::size_t{1} << 26;
    /// Fewer than these are left to the processor rather than tried again.
    static constexpr std::size_t fewest_points = std::size_t{1} << 14;

private:
    void run(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
             std::span<double> result);
    void run_compiled(const Prepared& prepared, const Inputs& inputs, std::span<double> result);
    void interpret(const formula::Program& program, const Registers& registers, const Inputs& inputs,
                   const NumberSystem& system, std::span<double> result);
    /// run_chunk(first point, its results) for all points, or for as many at a time as there is memory for.
    void in_chunks(std::span<double> result, const std::function<void(std::size_t, std::span<double>)>& run_chunk);
    /// A thread for each of `count` pieces of work, up to some times what the device runs at once.
    void launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count);
    void fetch(std::span<double> result);
    Driver::Kernel built_in(const std::string& name);
    void sum_waves_of_part(const Memory& waves, std::size_t count, const Range& range, std::size_t first,
                           std::span<double> result);
    /// Whether the work was done here; what failed is reported.
    bool attempt(std::size_t points, const std::function<void()>& work);
    void reserve(std::size_t bytes);
    void report_once(const std::string& text);

    std::unique_ptr<Driver> driver_;
    std::unique_ptr<Compiler> compiler_;
    DeviceOptions options_;
    std::string name_;
    std::optional<KernelStore> kernels_;
    std::map<std::string, Driver::Kernel> built_in_;
    std::optional<Memory> result_;  ///< kept from one evaluation to the next
    std::size_t evaluations_ = 0;
    bool is_lost_ = false;
    std::vector<std::string> reported_;
};

}  // namespace farfield::evaluate::cuda
