// How far a long computation has come, and a way to end it.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

namespace farfield::core {

/// The progress of a computation. The thread that computes and the thread that watches share it.
class Pulse {
public:
    double steps() const { return static_cast<double>(steps_.load(std::memory_order_relaxed)); }
    void stop() { stopped_ = true; }

private:
    friend class StepCounter;
    std::atomic<std::uint64_t> steps_ = 0;
    std::atomic<bool> stopped_ = false;
};

/// Thrown within a computation that was asked to stop.
class Stopped : public std::exception {
public:
    const char* what() const noexcept override { return "the computation was stopped"; }
};

/// During the lifetime of this object, computations of this thread report their progress to the pulse.
class PulseScope {
public:
    explicit PulseScope(std::shared_ptr<Pulse> pulse);
    ~PulseScope();
    PulseScope(const PulseScope&) = delete;
    PulseScope& operator=(const PulseScope&) = delete;

    /// The pulse of this thread, to pass to helper threads; may be null.
    static const std::shared_ptr<Pulse>& current();

private:
    std::shared_ptr<Pulse> before_;
};

/// Counts the steps of a loop. From time to time it reports them to the thread's pulse, and throws Stopped if a stop
/// was requested.
class StepCounter {
public:
    void add(std::uint64_t steps) {
        count_ += steps;
        if (count_ >= steps_a_beat) beat();
    }

private:
    static constexpr std::uint64_t steps_a_beat = 1U << 14U;
    void beat();
    std::uint64_t count_ = 0;
};

}  // namespace farfield::core
