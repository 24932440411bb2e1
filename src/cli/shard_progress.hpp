// The state of the shards of a plan.
#pragma once

#include <string>
#include <vector>

#include "cli/shard.hpp"
#include "study/shards.hpp"

namespace farfield::cli {

struct ShardProgress {
    std::size_t index = 0;
    std::size_t tasks = 0;
    std::size_t done = 0;
    double seconds_left = 0;  ///< as estimated
    /// done, running, waiting (in Slurm's queue), failed, lost (it started and no longer exists), started (on a host
    /// that cannot be queried), open (it was never started, or ended without its joins).
    std::string state;
    std::string note;  ///< "status 3 on node7"
};

std::vector<ShardProgress> progress_of(const Work& work, const study::ShardPlan& plan, const std::string& id);

}  // namespace farfield::cli
