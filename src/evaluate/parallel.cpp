// Thrust's OpenMP host system, in a namespace of our own so that no other copy of Thrust in a program meets it.
#define THRUST_HOST_SYSTEM THRUST_HOST_SYSTEM_OMP
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_OMP
#define THRUST_CUB_WRAPPED_NAMESPACE farfield_host
#include "evaluate/parallel.hpp"

#include <omp.h>
#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <farfield/core/pulse.hpp>
#include <mutex>

namespace farfield::evaluate {

namespace {

// More ranges than threads, so that a slow range or a busy processor does not hold up all the others.
constexpr std::size_t ranges_a_thread = 16;

// What Thrust calls for each thread, which takes the next range until none is left. It holds exceptions back, which
// must not leave a parallel region.
struct RangeRunner {
    const std::function<void(std::size_t, std::size_t)>* work;
    std::size_t count;
    std::size_t length;
    std::atomic<std::size_t>* next;
    std::mutex* mutex;
    std::exception_ptr* failure;
    std::shared_ptr<core::Pulse> pulse;

    void operator()(std::size_t) const {
        const core::PulseScope scope(pulse);
        try {
            for (std::size_t begin = next->fetch_add(length); begin < count; begin = next->fetch_add(length)) {
                (*work)(begin, std::min(count, begin + length));
            }
        } catch (...) {
            const std::lock_guard lock(*mutex);
            if (!*failure) *failure = std::current_exception();
        }
    }
};

}  // namespace

void in_parallel(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& work) {
    if (count == 0) return;
    const std::size_t grains = (count + grain - 1) / grain;
    const auto threads = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));
    const std::size_t wanted = threads * ranges_a_thread;
    const std::size_t length = (grains + wanted - 1) / wanted * grain;
    if (threads == 1 || length >= count) return work(0, count);
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::exception_ptr failure;
    namespace thrust = farfield_host::thrust;
    const thrust::counting_iterator<std::size_t> first(0);
    thrust::for_each(thrust::host, first, first + static_cast<std::ptrdiff_t>(threads),
                     RangeRunner{&work, count, length, &next, &mutex, &failure, core::PulseScope::current()});
    if (failure) std::rethrow_exception(failure);
}

}  // namespace farfield::evaluate
