#include "evaluate/cuda/session.hpp"

#include <algorithm>

namespace farfield::evaluate::cuda {

Session::Session(std::unique_ptr<Driver> driver, std::function<void(const std::string&)> report)
    : driver_(std::move(driver)), report_(std::move(report)) {
    name_ = "cuda: " + driver_->device_name() + ", sm_" + std::to_string(driver_->capability());
}

bool Session::attempt(const std::function<void()>& work) {
    if (is_lost_) return false;
    try {
        try {
            work();
        } catch (const MachineError& error) {
            if (error.kind() != MachineError::Kind::memory || !rows_gave_way()) throw;
            work();
        }
        return true;
    } catch (const MachineError& error) {
        failed(error);
        return false;
    }
}

void Session::failed(const MachineError& error) {
    is_lost_ = error.kind() == MachineError::Kind::lost;
    const std::string text = name_ + ": " + error.what() +
                             (is_lost_ ? "\n   the device is lost to this run; the processor goes on alone"
                                       : "\n   the processor does this work instead");
    if (std::find(reported_.begin(), reported_.end(), text) != reported_.end()) return;
    reported_.push_back(text);
    report_(text);
}

bool Session::rows_gave_way() {
    bool any = false;
    for (const std::weak_ptr<CudaResident>& held : rows_) {
        const std::shared_ptr<CudaResident> row = held.lock();
        if (!row) continue;
        row->give_way();
        any = true;
    }
    rows_.clear();
    return any;
}

std::shared_ptr<CudaResident> Session::row(std::size_t count) {
    std::erase_if(rows_, [](const auto& held) { return held.expired(); });
    auto made = std::make_shared<CudaResident>(shared_from_this(), count);
    rows_.push_back(made);
    return made;
}

CudaResident::CudaResident(std::shared_ptr<Session> session, std::size_t count)
    : session_(std::move(session)), count_(count) {
    // An allocation must have at least one byte.
    memory_.emplace(session_->driver(), std::max<std::size_t>(count, 1) * sizeof(double));
}

bool CudaResident::fetch(std::size_t first, std::span<double> into) const {
    const auto copy_here = [&] {
        std::copy_n(here_.begin() + static_cast<std::ptrdiff_t>(first), into.size(), into.begin());
    };
    if (!memory_) {
        copy_here();
        return true;
    }
    return session_->attempt([&] {
        // If memory is too small a second time, all arrays have been moved to the host.
        if (!memory_) return copy_here();
        session_->driver().copy_out(into.data(), memory_->pointer() + first * sizeof(double),
                                    into.size() * sizeof(double));
    });
}

void CudaResident::give_way() {
    std::vector<double> values(count_);
    session_->driver().copy_out(values.data(), memory_->pointer(), count_ * sizeof(double));
    here_ = std::move(values);
    memory_.reset();
}

}  // namespace farfield::evaluate::cuda
