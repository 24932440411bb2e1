// Work spread over the processors.
#pragma once

#include <cstddef>
#include <functional>

namespace farfield::evaluate {

/// Calls work(begin, end) for ranges that together make [0, count), each but the last a multiple of `grain` long and
/// begun at a multiple of it. How many ranges there are depends on the machine: results must not. The first exception
/// is thrown again once all have ended.
void in_parallel(std::size_t count, std::size_t grain, const std::function<void(std::size_t, std::size_t)>& work);

}  // namespace farfield::evaluate
