// A second thread for computations, so that the caller's thread can poll for cancellation.
#pragma once

#include <functional>
#include <memory>

namespace farfield::core {

/// One thread for all jobs of a run: threads that evaluators start from it are kept between jobs.
class Worker {
public:
    Worker();
    /// Waits for the thread, unless its job was abandoned.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs the job and waits; an exception of the job is rethrown to the caller. `go_on` is called ten times a second.
    /// If it returns false, the job is abandoned and run() returns false. Therefore the job must own everything that it
    /// uses. After an abandoned job, no other job can run.
    bool run(std::function<void()> job, const std::function<bool()>& go_on);

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace farfield::core
