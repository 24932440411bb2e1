// Work spread over the processors: the loops here are the only ones of the library, but for the model's pool, whose
// threads wait for many short tasks.
#pragma once

#include <cstddef>
#include <functional>

namespace farfield::numerics {

/// A range of indices [begin, end).
using OfRange = std::function<void(std::size_t, std::size_t)>;

/// What in_parallel does with more than one grain.
void spread(std::size_t count, std::size_t grain, const OfRange& work);

/// Calls work(begin, end) for ranges that together make [0, count), each but the last a multiple of `grain` long and
/// begun at a multiple of it. How many ranges there are depends on the machine: results must not. The first exception
/// is thrown again once all have ended.
template <class Work>
void in_parallel(std::size_t count, std::size_t grain, const Work& work) {
    if (count == 0) return;
    count <= grain ? work(std::size_t{0}, count) : spread(count, grain, std::ref(work));
}

/// Calls task(i) for each i of [0, count), each on a thread of its own whose loops may use an equal part of
/// `processors`. The first exception is thrown again once all have ended.
void side_by_side(std::size_t count, std::size_t processors, const std::function<void(std::size_t)>& task);

}  // namespace farfield::numerics
