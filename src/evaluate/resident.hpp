// Rows that a device holds, and what it is asked to evaluate over them.
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

/// Numbers in a device's memory, which is released with them.
class Resident {
public:
    virtual ~Resident() = default;
    virtual std::size_t size() const = 0;
    /// Null once the device needed the memory for other work: the numbers are the processor's then.
    virtual const double* data() const = 0;
    /// Copies the numbers from `first` on. False, reported, where the device no longer answers.
    virtual bool fetch(std::size_t first, std::span<double> into) const = 0;
};

/// A stretch of a resident row, as an input of a program.
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

/// A device's task, its lanes in place of those of `inputs`; in double, sums of waves within the program become lanes.
DeviceTask task_of(const formula::Program& program, const Inputs& inputs, std::vector<DeviceLane> lanes,
                   const NumberSystem& system);

/// A device's operations, and rows for what they give.
class Workplace {
public:
    virtual ~Workplace() = default;
    virtual Operations& operations() = 0;
    virtual Store& store() = 0;
    /// Throws MachineError where there is no room.
    virtual std::shared_ptr<const Resident> row(std::size_t count) = 0;
};

}  // namespace farfield::evaluate
