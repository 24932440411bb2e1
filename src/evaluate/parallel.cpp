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
#include <exception>
#include <mutex>

namespace farfield::evaluate {

namespace {

// More ranges than threads, so that one slow range does not hold up all the others.
constexpr std::size_t ranges_a_thread = 4;

// What Thrust calls; it holds exceptions back, which must not leave a parallel region.
struct RangeRunner {
    const std::function<void(std::size_t, std::size_t)>* work;
    std::size_t count;
    std::size_t length;
    std::mutex* mutex;
    std::exception_ptr* failure;

    void operator()(std::size_t range) const {
        try {
            (*work)(range * length, std::min(count, (range + 1) * length));
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
    const std::size_t wanted = static_cast<std::size_t>(std::max(1, omp_get_max_threads())) * ranges_a_thread;
    const std::size_t length = (grains + wanted - 1) / wanted * grain;
    const std::size_t ranges = (count + length - 1) / length;
    if (ranges == 1) return work(0, count);
    std::mutex mutex;
    std::exception_ptr failure;
    namespace thrust = farfield_host::thrust;
    const thrust::counting_iterator<std::size_t> first(0);
    thrust::for_each(thrust::host, first, first + static_cast<std::ptrdiff_t>(ranges),
                     RangeRunner{&work, count, length, &mutex, &failure});
    if (failure) std::rethrow_exception(failure);
}

}  // namespace farfield::evaluate
