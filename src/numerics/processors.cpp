#include <farfield/numerics/processors.hpp>

#include <algorithm>
#include <atomic>

#include "numerics/openmp.hpp"

namespace farfield::numerics {
namespace {

// Read when the program is loaded, before any thread has a number of its own.
std::atomic<std::size_t> chosen = static_cast<std::size_t>(std::max(1, omp_get_max_threads()));

}  // namespace

std::size_t processors() {
    return chosen;
}

void set_processors(std::size_t count) {
    chosen = std::max<std::size_t>(count, 1);
    omp_set_num_threads(static_cast<int>(chosen));
}

ThreadShare::ThreadShare(std::size_t threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(static_cast<int>(std::max<std::size_t>(threads, 1)));
}

ThreadShare::~ThreadShare() {
    omp_set_num_threads(before_);
}

}  // namespace farfield::numerics
