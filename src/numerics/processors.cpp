#include <farfield/numerics/processors.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

#include "core/threads.hpp"

namespace farfield::numerics {
namespace {

std::size_t usable_processors() {
    if (!core::has_threads) return 1;
#if defined(__linux__)
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return static_cast<std::size_t>(CPU_COUNT(&allowed));
#endif
    return std::thread::hardware_concurrency();  // 0: unknown
}

// Clusters set OpenMP's variable for each process. It may be a list, whose first number counts.
std::size_t usual_processors() {
    constexpr std::size_t most = 4096;  // as for --threads
    const char* const given = std::getenv("OMP_NUM_THREADS");
    const long wanted = given == nullptr ? 0 : std::strtol(given, nullptr, 10);
    return wanted > 0 ? std::min(static_cast<std::size_t>(wanted), most)
                      : std::max<std::size_t>(usable_processors(), 1);
}

// Read when the program is loaded, before any thread has a share.
std::atomic<std::size_t> chosen = usual_processors();

thread_local std::size_t share = 0;  // 0: all

}  // namespace

std::size_t processors() {
    return chosen;
}

void set_processors(std::size_t count) {
    chosen = std::max<std::size_t>(count, 1);
}

std::size_t loop_threads() {
    return share == 0 ? processors() : share;
}

ThreadShare::ThreadShare(std::size_t threads) : before_(share) {
    share = std::max<std::size_t>(threads, 1);
}

ThreadShare::~ThreadShare() {
    share = before_;
}

}  // namespace farfield::numerics
