// How many threads computations use. No other code decides this.
#pragma once

#include <cstddef>

namespace farfield::numerics {

/// The number that set_processors() was given last. Before that: the first number of the environment variable
/// OMP_NUM_THREADS, or the number of processors that the process may run on (sched_getaffinity). At least 1.
std::size_t processors();

/// Sets that number for the process.
void set_processors(std::size_t count);

/// How many threads loops of this thread may use: processors(), or the share that the thread was given.
std::size_t loop_threads();

/// During the lifetime of this object, loops of this thread use the given number of threads, at least 1.
class ThreadShare {
public:
    explicit ThreadShare(std::size_t threads);
    ~ThreadShare();
    ThreadShare(const ThreadShare&) = delete;
    ThreadShare& operator=(const ThreadShare&) = delete;

private:
    std::size_t before_;
};

}  // namespace farfield::numerics
