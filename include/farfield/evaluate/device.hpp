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

class Resident;
class Workplace;
struct DeviceTask;

class Device {
public:
    virtual ~Device() = default;

    /// "cuda: NVIDIA H200, sm_90"; "cpu" for one that was not needed yet.
    virtual const std::string& name() const = 0;

    /// What results that may come from it are kept under: known before it is opened.
    virtual const std::string& identity() const { return name(); }

    /// Work over fewer points is not for it.
    virtual std::size_t fewest_points() const = 0;

    /// Whether work over so many points is for it. What opens when it is first needed is opened by this.
    virtual bool takes(double points) = 0;

    /// evaluate_into() there: the program at every point, for inputs that match its signature. False, with nothing that
    /// counts in `result`, where the device does not (number systems of the processor alone; too little memory; a
    /// device that was lost, from then on): the processor does the work then, and the report of DeviceOptions says why.
    virtual bool evaluate_into(const DeviceTask& task, std::span<double> result) = 0;

    /// The same, with the values left there. Null where the device does not, or has no operations on rows.
    virtual std::shared_ptr<const Resident> evaluate_there(const DeviceTask& task) = 0;

    /// Works on arrays of `points` numbers there. False as above; work may be repeated after arrays were moved out.
    virtual bool operate(std::size_t points, const std::function<void(Workplace&)>& work) = 0;

    /// How often the three have been done there.
    struct Done {
        std::size_t evaluations = 0;
        std::size_t operations = 0;
    };
    virtual Done done() const = 0;
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

/// A device that is opened once there is work of so many points for it: until then none is looked for. Where `open`
/// throws core::MissingError, it takes no work.
std::unique_ptr<Device> open_when_needed(std::function<std::unique_ptr<Device>()> open, std::size_t fewest_points);

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
