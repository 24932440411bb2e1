// How many threads computations use: decided here alone.
#pragma once

#include <cstddef>

namespace farfield::numerics {

/// The number that set_processors() was given last; before that OpenMP's default, which is OMP_NUM_THREADS or the
/// number of processors that the process may run on (sched_getaffinity). At least 1.
std::size_t processors();

/// Sets that number for the process, and for loops that OpenMP spreads from this thread.
void set_processors(std::size_t count);

/// While it lives, loops that OpenMP spreads from this thread use so many threads. OpenMP keeps the number by thread:
/// each thread that the library starts has one of these.
class ThreadShare {
public:
    explicit ThreadShare(std::size_t threads);
    ~ThreadShare();
    ThreadShare(const ThreadShare&) = delete;
    ThreadShare& operator=(const ThreadShare&) = delete;

private:
    int before_;
};

}  // namespace farfield::numerics
