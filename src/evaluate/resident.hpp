// Arrays in device memory, and the tasks that a device evaluates over them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>

#include "evaluate/machine/operations.hpp"
#include "evaluate/waves.hpp"

namespace farfield::evaluate {

/// Numbers in device memory, which is freed with this object.
class Resident {
public:
    virtual ~Resident() = default;
    virtual std::size_t size() const = 0;
    /// Null after the device needed the memory for other work; the numbers are then in host memory.
    virtual const double* data() const = 0;
    /// Copies the numbers from `first` on. Returns false, after a report, if the device no longer answers.
    virtual bool fetch(std::size_t first, std::span<double> into) const = 0;
};

/// A contiguous part of an array in device memory, as an input of a program.
struct ResidentLane {
    std::shared_ptr<const Resident> row;
    std::size_t first = 0;
};

/// A sum of waves over a range (evaluate/linear_phase.hpp), as an input of a program.
struct WaveLane {
    std::vector<Wave> waves;
    Range range;
};

using DeviceLane = std::variant<Range, std::span<const double>, ResidentLane, WaveLane>;

/// A program and its inputs, in the order of its signature; all lanes have `points` values.
struct DeviceTask {
    formula::Program program;
    NumberSystem system = {};
    std::vector<double> uniform = {};
    std::vector<DeviceLane> varying = {};
    std::vector<std::span<const double>> tables = {};
    std::size_t points = 1;
};

/// The task of a device, with its own lanes in place of those of `inputs`. In double, sums of waves within the program
/// become lanes.
DeviceTask task_of(const formula::Program& program, const Inputs& inputs, std::vector<DeviceLane> lanes,
                   const NumberSystem& system);

/// A device's operations, and memory for their results.
class Workplace {
public:
    virtual ~Workplace() = default;
    virtual Operations& operations() = 0;
    virtual Store& store() = 0;
    /// Throws MachineError if there is not enough memory.
    virtual std::shared_ptr<const Resident> row(std::size_t count) = 0;
};

}  // namespace farfield::evaluate
