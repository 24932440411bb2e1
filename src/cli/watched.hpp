// A command's long computation on its own thread, with progress, which an interruption ends.
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

    /// `total` is the number of operations of all jobs together, or the number of jobs; 0 means that it is unknown, and
    /// no remaining time is shown.
    Watched(std::string item, double total, Counts counts = Counts::operations)
        : item_(std::move(item)), total_(total), counts_(counts) {}

    /// Runs the job, which must own all data that it uses. Returns false within a second after an interruption, even if
    /// the job continues; the process must then end by std::_Exit, and no job may follow.
    bool run(const std::function<void()>& job);

    /// The result of the job; nothing after an interruption.
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
