#include <farfield/core/pulse.hpp>

#include <utility>

namespace farfield::core {
namespace {

std::shared_ptr<Pulse>& of_this_thread() {
    thread_local std::shared_ptr<Pulse> pulse;
    return pulse;
}

}  // namespace

PulseScope::PulseScope(std::shared_ptr<Pulse> pulse) : before_(std::exchange(of_this_thread(), std::move(pulse))) {}

PulseScope::~PulseScope() {
    of_this_thread() = std::move(before_);
}

const std::shared_ptr<Pulse>& PulseScope::current() {
    return of_this_thread();
}

void StepCounter::beat() {
    Pulse* const pulse = PulseScope::current().get();
    if (pulse != nullptr) {
        pulse->steps_.fetch_add(count_, std::memory_order_relaxed);
        if (pulse->stopped_.load(std::memory_order_relaxed)) throw Stopped();
    }
    count_ = 0;
}

}  // namespace farfield::core
