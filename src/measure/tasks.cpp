#include "measure/tasks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <farfield/numerics/processors.hpp>
#include <mutex>
#include <thread>
#include <vector>

namespace farfield::measure {

void in_parallel(std::size_t count, const Inputs& inputs, const Task& task) {
    std::atomic<std::size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    const bool takes_all = inputs.subject.is_checkpoint;
    const std::size_t workers = takes_all ? 1 : std::max<std::size_t>(std::min(inputs.processors, count), 1);
    const auto work = [&] {
        const numerics::ThreadShare share(inputs.processors / workers);
        try {
            model::Workspace<float> workspace(1);
            for (std::size_t i = next++; i < count && !inputs.interrupted(); i = next++) task(i, workspace);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
            next = count;
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace farfield::measure
