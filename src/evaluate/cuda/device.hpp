// A device that evaluates programs by generated kernels.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <farfield/evaluate/device.hpp>

#include "evaluate/cuda/driver.hpp"
#include "evaluate/cuda/kernel_store.hpp"
#include "evaluate/cuda/prepare.hpp"
#include "evaluate/cuda/session.hpp"
#include "evaluate/resident.hpp"

namespace farfield::evaluate::cuda {

/// The tools of a device in addition to its driver.
struct Tools {
    std::unique_ptr<Compiler> compiler = nullptr;  ///< null: the slower interpreter of the flat program runs
    std::function<std::unique_ptr<Operations>(Store&)> operations = nullptr;  ///< empty: no arrays stay on the device
};

class CudaDevice : public Device {
public:
    CudaDevice(std::unique_ptr<Driver> driver, Tools tools, DeviceOptions options);

    const std::string& name() const override { return session_->name(); }
    std::size_t fewest_points() const override { return options_.fewest_points; }
    bool takes(double points) override;
    bool evaluate_into(const DeviceTask& task, std::span<double> result) override;
    std::shared_ptr<const Resident> evaluate_there(const DeviceTask& task) override;
    bool operate(std::size_t points, const std::function<void(Workplace&)>& work) override;
    Done done() const override { return done_; }

    /// The most points that are computed at once; fewer if memory does not suffice.
    static constexpr std::size_t most_points = std::size_t{1} << 26;
    /// Smaller parts are computed on the host and not tried again.
    static constexpr std::size_t least_part = std::size_t{1} << 14;

private:
    /// Computes points [first, first + count) of a task into the device's memory.
    using Run = std::function<void(std::size_t first, std::size_t count, double* result)>;

    /// How a task is computed, or its value if that is the same at all points.
    std::variant<double, Run> made(const DeviceTask& task);
    Run compiled(const DeviceTask& task, Prepared prepared);
    Run interpreted(const DeviceTask& task, Registers registers);
    /// Calls `run` for all points, or for as many at a time as memory allows.
    void in_chunks(const Run& run, std::span<double> result);
    /// The address from which a kernel reads a lane (not a range) at points [first, first + count); also keeps what
    /// must stay alive meanwhile.
    const double* address(const DeviceLane& lane, std::size_t first, std::size_t count, std::vector<Memory>& held);
    void sum_waves(const WaveLane& lane, std::size_t first, std::size_t count, double* result);
    /// Launches a kernel whose threads process `count` elements in strides, with enough blocks to fill the device
    /// several times.
    void launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count);
    void launch(Driver::Kernel kernel, std::vector<void*> parameters, std::size_t count, std::size_t most_blocks);
    Driver::Kernel built_in(const std::string& name);
    void reserve(std::size_t bytes);
    Driver& driver() { return session_->driver(); }

    std::shared_ptr<Session> session_;
    std::unique_ptr<Compiler> compiler_;
    std::unique_ptr<Operations> operations_;
    DeviceOptions options_;
    std::optional<KernelStore> kernels_;
    std::map<std::string, Driver::Kernel> built_in_;
    std::optional<Memory> result_;  ///< kept from one evaluation to the next
    Done done_;
};

}  // namespace farfield::evaluate::cuda
