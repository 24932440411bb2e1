// A command's long computation: on a thread of its own, with progress, and ended by an interruption.
#pragma once

#include <farfield/core/worker.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/progress.hpp"

namespace farfield::cli {

class Watched {
public:
    enum class Counts { operations, jobs };

    /// `total` is how many operations all jobs take together, or how many jobs there are; 0: that is not known, and no
    /// remaining time is shown.
    Watched(std::string item, double total, Counts counts = Counts::operations)
        : item_(std::move(item)), total_(total), counts_(counts) {}

    /// Runs the job, which must own all that it uses. False once there was an interruption: within a second, even if
    /// the job goes on; the process must then end by std::_Exit. No job may follow.
    bool run(const std::function<void()>& job);

    /// What the job returns; nothing once there was an interruption.
    template <class Job>
    auto get(const Job& job) {
        const auto made = std::make_shared<std::optional<decltype(job())>>();
        const bool is_finished = run([=] { made->emplace(job()); });
        return is_finished ? std::move(*made) : std::nullopt;
    }

private:
    std::string item_;
    double total_;
    Counts counts_;
    double done_ = 0;
    core::Worker worker_;
    Progress progress_;
};

}  // namespace farfield::cli
