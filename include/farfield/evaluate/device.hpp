// A machine beside the processor that evaluates programs.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>

namespace farfield::evaluate {

struct Wave;

class Device {
public:
    virtual ~Device() = default;

    /// "cuda: NVIDIA H200, sm_90".
    virtual const std::string& name() const = 0;

    /// evaluate_into() there: the program at every point, for inputs that match its signature. False, with nothing that
    /// counts in `result`, where the device does not (number systems of the processor alone; too little memory; a
    /// device that was lost, from then on): the processor does the work then, and the report of DeviceOptions says why.
    virtual bool evaluate_into(const formula::Program& program, const Inputs& inputs, const NumberSystem& system,
                               std::span<double> result) = 0;

    /// The sum of waves that a formula is, over a range of integers (evaluate/linear_phase.hpp, with its bound of the
    /// error). False as above.
    virtual bool sum_waves(const std::vector<Wave>& waves, const Range& range, std::span<double> result) = 0;

    /// How often evaluate_into() and sum_waves() have returned true.
    virtual std::size_t evaluations() const = 0;
};

struct DeviceOptions {
    std::string cache = {};  ///< folder for compiled kernels; empty: none are kept
    /// Fewer are left to the processor, which is done before a kernel is compiled.
    std::size_t fewest_points = 4096;
    /// Told once for each thing that went wrong: a device lost, memory that did not suffice.
    std::function<void(const std::string&)> report = [](const std::string&) {};
};

/// The first CUDA device. Throws core::MissingError saying what was looked for and what to install, where this build,
/// this machine or its driver has none.
std::unique_ptr<Device> open_cuda(const DeviceOptions& options);

/// While it lives, evaluate() and evaluate_into() of the thread that made it ask the device first. A quantity evaluates
/// in many places; which machine does that is the run's choice, not theirs.
class OnDevice {
public:
    explicit OnDevice(Device* device);
    ~OnDevice();
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    /// The innermost one's device; null outside of all.
    static Device* current();

private:
    Device* outer_;
};

}  // namespace farfield::evaluate
