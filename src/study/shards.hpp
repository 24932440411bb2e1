// The assignment of tasks to shards.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "study/tasks.hpp"

namespace farfield::study {

struct ShardPlan {
    /// The shard of each task, which is that of its chain. A chain is a task without needs and all tasks whose needs
    /// are in it.
    std::vector<std::size_t> shard;
    /// Whether a task needs several chains. Its own shard computes it, or whichever finishes the last of its needs.
    std::vector<bool> joins;
    std::vector<double> seconds;  ///< of each shard
};

/// Assigns chains and joins to `count` shards by their cost: the longest first, each to the shard with the least work.
/// The result depends only on the ids and costs of the tasks, not on their order or on what is done. `count` is at
/// least 1.
ShardPlan plan_shards(std::span<const Task> tasks, std::size_t count);

/// The duration of the plan if every shard has its own core and starts at once, and joins start when their last need is
/// finished.
struct Makespan {
    double seconds = 0;
    double idle = 0;  ///< the share of the cores' time until then in which they are idle
};
Makespan simulate(std::span<const Task> tasks, const ShardPlan& plan);

}  // namespace farfield::study
