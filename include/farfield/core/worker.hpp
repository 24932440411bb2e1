// A thread beside the caller's, so that the caller can look up while something is computed.
#pragma once

#include <functional>
#include <memory>

namespace farfield::core {

/// One thread for all jobs of a run: threads that evaluators start from it are kept between jobs.
class Worker {
public:
    Worker();
    /// Waits for the thread, unless its job was left behind.
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    /// Runs the job and waits; an exception of the job is thrown here. `go_on` is asked ten times a second; once it
    /// says no, the job is left behind and false returned: it must own all that it uses. No job can follow one left
    /// behind.
    bool run(std::function<void()> job, const std::function<bool()>& go_on);

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace farfield::core
