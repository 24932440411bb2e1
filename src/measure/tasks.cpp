#include "measure/tasks.hpp"

#include <algorithm>
#include <atomic>

#include "numerics/parallel.hpp"

namespace farfield::measure {

void in_parallel(std::size_t count, const Inputs& inputs, const Task& task) {
    std::atomic<std::size_t> next = 0;
    const std::size_t workers = std::max<std::size_t>(std::min(inputs.processors, count), 1);
    numerics::side_by_side(workers, inputs.processors, [&](std::size_t) {
        try {
            model::Workspace<float> workspace(1);
            for (std::size_t i = next++; i < count && !inputs.interrupted(); i = next++) task(i, workspace);
        } catch (...) {
            next = count;
            throw;
        }
    });
}

}  // namespace farfield::measure
