#include "numerics/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <farfield/core/pulse.hpp>
#include <farfield/numerics/processors.hpp>

#include "core/threads.hpp"
#include "numerics/openmp.hpp"

namespace farfield::numerics {

namespace {

// More ranges than threads, so that a slow range or a busy processor does not hold up all the others.
constexpr std::size_t ranges_a_thread = 16;

// Keeps the first exception of several threads, none of which may leave its own.
class FirstFailure {
public:
    template <class Work>
    void guard(const Work& work) {
        try {
            work();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!thrown_) thrown_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (thrown_) std::rethrow_exception(thrown_);
    }

private:
    std::mutex mutex_;
    std::exception_ptr thrown_;
};

}  // namespace

void spread(std::size_t count, std::size_t grain, const OfRange& work) {
    const std::size_t grains = (count + grain - 1) / grain;
    const auto threads = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
    const std::size_t wanted = threads * ranges_a_thread;
    const std::size_t length = (grains + wanted - 1) / wanted * grain;
    if (threads == 1 || length >= count) return work(0, count);
    std::atomic<std::size_t> next = 0;
    FirstFailure failure;
    const std::shared_ptr<core::Pulse>& pulse = core::PulseScope::current();
#pragma omp parallel
    failure.guard([&] {
        const core::PulseScope scope(pulse);
        for (std::size_t begin = next.fetch_add(length); begin < count; begin = next.fetch_add(length)) {
            work(begin, std::min(count, begin + length));
        }
    });
    failure.rethrow();
}

void side_by_side(std::size_t count, std::size_t processors, const std::function<void(std::size_t)>& task) {
    FirstFailure failure;
    const auto run = [&](std::size_t i) {
        const ThreadShare share(processors / count);
        failure.guard([&] { task(i); });
    };
    if (!core::has_threads) {
        for (std::size_t i = 0; i < count; ++i) run(i);
        return failure.rethrow();
    }
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
    if (count > 0) run(0);
    for (std::thread& thread : threads) thread.join();
    failure.rethrow();
}

}  // namespace farfield::numerics
