// Which shard computes which tasks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "study/tasks.hpp"

namespace farfield::study {

struct ShardPlan {
    /// The shard of each task: that of its chain. A chain is a task without needs and all tasks whose needs are in it.
    std::vector<std::size_t> shard;
    /// Whether a task needs several chains. Its own shard computes it, or whichever finishes the last of its needs.
    std::vector<bool> joins;
    std::vector<double> seconds;  ///< of each shard
};

/// Chains and joins go to so many shards by their cost: the longest first, each to the shard that has least. Depends on
/// the ids and costs of the tasks alone, not on their order or on what is done. `count` is at least 1.
ShardPlan plan_shards(std::span<const Task> tasks, std::size_t count);

/// How long the plan takes if every shard has a core of its own and starts at once, joins when their last need is
/// there.
struct Makespan {
    double seconds = 0;
    double idle = 0;  ///< share of the cores' time until then that none of them works
};
Makespan simulate(std::span<const Task> tasks, const ShardPlan& plan);

}  // namespace farfield::study
