// State that exists as long as anything of a device: its driver, whether it still answers, and the arrays that it
// holds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evaluate/cuda/driver.hpp"
#include "evaluate/resident.hpp"

namespace farfield::evaluate::cuda {

class CudaResident;

class Session : public std::enable_shared_from_this<Session> {
public:
    Session(std::unique_ptr<Driver> driver, std::function<void(const std::string&)> report);

    Driver& driver() { return *driver_; }
    /// "cuda: NVIDIA H200, sm_90".
    const std::string& name() const { return name_; }
    bool is_lost() const { return is_lost_; }

    /// Runs the work, and returns whether it was done; a failure is reported once. If memory does not suffice, the
    /// arrays on the device are moved to the host and the work is repeated.
    bool attempt(const std::function<void()>& work);

    /// Allocates an array in device memory. Throws MachineError if there is not enough memory.
    std::shared_ptr<CudaResident> row(std::size_t count);

private:
    /// Moves all arrays on the device to the host; returns whether there were any.
    bool rows_gave_way();
    void failed(const MachineError& error);

    std::unique_ptr<Driver> driver_;
    std::function<void(const std::string&)> report_;
    std::string name_;
    bool is_lost_ = false;
    std::vector<std::string> reported_;
    std::vector<std::weak_ptr<CudaResident>> rows_;
};

/// An array in device memory, until the memory is needed for other work.
class CudaResident : public Resident {
public:
    CudaResident(std::shared_ptr<Session> session, std::size_t count);

    std::size_t size() const override { return count_; }
    const double* data() const override { return memory_ ? memory_->as<const double>() : nullptr; }
    bool fetch(std::size_t first, std::span<double> into) const override;

    double* room() { return memory_->as<double>(); }
    /// Throws MachineError if the device does not answer.
    void give_way();

private:
    std::shared_ptr<Session> session_;
    std::size_t count_;
    std::optional<Memory> memory_;
    std::vector<double> here_;  ///< after it was moved to the host
};

}  // namespace farfield::evaluate::cuda
