// Runs measurements in parallel, where each worker has its own workspace.
#pragma once

#include <cstddef>
#include <functional>

#include <farfield/measure/kind.hpp>
#include <farfield/model/workspace.hpp>

namespace farfield::measure {

using Task = std::function<void(std::size_t index, model::Workspace<float>& workspace)>;

/// Calls task(i) for i = 0..count-1 on as many threads as there are processors, in no fixed order (one by one for a
/// checkpoint, whose passes use all processors); none begins after an interruption. The first exception is rethrown
/// after all have ended.
void in_parallel(std::size_t count, const Inputs& inputs, const Task& task);

}  // namespace farfield::measure
