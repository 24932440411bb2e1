// A device that evaluates programs in place of the host's processor.
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

    /// "cuda: NVIDIA H200, sm_90"; "cpu" for a device that has not been opened yet.
    virtual const std::string& name() const = 0;

    /// The name of the device in cache keys of results. It is known before the device is opened.
    virtual const std::string& identity() const { return name(); }

    /// The device does not accept work over fewer points.
    virtual std::size_t fewest_points() const = 0;

    /// Whether the device accepts work over this many points. Opens a device that open_when_needed() has not opened
    /// yet.
    virtual bool takes(double points) = 0;

    /// evaluate_into() on the device: the program at every point, for inputs that match its signature. Returns false,
    /// with no valid numbers in `result`, if the device cannot do the work: a number system that only the processor
    /// supports, too little memory, or a device that was lost. The processor then does the work, and the report of
    /// DeviceOptions gives the reason.
    virtual bool evaluate_into(const DeviceTask& task, std::span<double> result) = 0;

    /// The same, but the values stay on the device. Null if the device cannot do the work, or has no operations on
    /// arrays.
    virtual std::shared_ptr<const Resident> evaluate_there(const DeviceTask& task) = 0;

    /// Runs `work` on arrays of `points` numbers on the device. Returns false as evaluate_into() does. The work may be
    /// repeated after arrays were moved out of the device's memory.
    virtual bool operate(std::size_t points, const std::function<void(Workplace&)>& work) = 0;

    /// How often the device has done such work.
    struct Done {
        std::size_t evaluations = 0;
        std::size_t operations = 0;
    };
    virtual Done done() const = 0;
};

struct DeviceOptions {
    std::string cache = {};  ///< folder for compiled kernels; empty: none are kept
    /// Work over fewer points is done on the processor, because that is faster than compiling a kernel.
    std::size_t fewest_points = 4096;
    /// Called once for each failure: a lost device, too little memory.
    std::function<void(const std::string&)> report = [](const std::string&) {};
};

/// The first CUDA device. If this build, this machine or its driver has none, throws core::MissingError with the
/// searched files and the packages to install.
std::unique_ptr<Device> open_cuda(const DeviceOptions& options);

/// A device that is opened when there is work of at least `fewest_points` points. If `open` throws core::MissingError,
/// the device accepts no work.
std::unique_ptr<Device> open_when_needed(std::function<std::unique_ptr<Device>()> open, std::size_t fewest_points);

/// During the lifetime of this object, evaluate() and evaluate_into() in the thread that created it use the device if
/// it accepts the work. The run chooses the device, not the many places in quantities that evaluate formulas.
class OnDevice {
public:
    explicit OnDevice(Device* device);
    ~OnDevice();
    OnDevice(const OnDevice&) = delete;
    OnDevice& operator=(const OnDevice&) = delete;

    /// The device of the innermost OnDevice of this thread, or null.
    static Device* current();

private:
    Device* outer_;
};

}  // namespace farfield::evaluate
