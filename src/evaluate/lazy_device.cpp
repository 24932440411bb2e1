// A device that is opened only when there is work for it.
#include <utility>

#include <farfield/core/error.hpp>
#include <farfield/evaluate/device.hpp>

#include "evaluate/resident.hpp"

namespace farfield::evaluate {

namespace {

class LazyDevice : public Device {
public:
    LazyDevice(std::function<std::unique_ptr<Device>()> open, std::size_t fewest_points)
        : open_(std::move(open)), fewest_points_(fewest_points) {}

    const std::string& name() const override { return device_ ? device_->name() : name_; }
    const std::string& identity() const override { return identity_; }
    std::size_t fewest_points() const override { return fewest_points_; }
    bool takes(double points) override {
        return points >= static_cast<double>(fewest_points_) && opened() && device_->takes(points);
    }
    bool evaluate_into(const DeviceTask& task, std::span<double> result) override {
        return takes(static_cast<double>(task.points)) && device_->evaluate_into(task, result);
    }
    std::shared_ptr<const Resident> evaluate_there(const DeviceTask& task) override {
        return takes(static_cast<double>(task.points)) ? device_->evaluate_there(task) : nullptr;
    }
    bool operate(std::size_t points, const std::function<void(Workplace&)>& work) override {
        return takes(static_cast<double>(points)) && device_->operate(points, work);
    }
    Done done() const override { return device_ ? device_->done() : Done{}; }

private:
    bool opened() {
        if (!open_) return device_ != nullptr;
        const auto open = std::exchange(open_, nullptr);
        try {
            device_ = open();
        } catch (const core::MissingError&) {
            // No device was requested.
        }
        return device_ != nullptr;
    }

    std::function<std::unique_ptr<Device>()> open_;  ///< empty once it was called
    std::size_t fewest_points_;
    std::unique_ptr<Device> device_;
    std::string name_ = "cpu";
    std::string identity_ = "a device where there is one";
};

}  // namespace

std::unique_ptr<Device> open_when_needed(std::function<std::unique_ptr<Device>()> open, std::size_t fewest_points) {
    return std::make_unique<LazyDevice>(std::move(open), fewest_points);
}

}  // namespace farfield::evaluate
