// The states that the shards of a plan write into the store.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "study/tasks.hpp"

namespace farfield::study {

struct ShardState {
    std::string host;
    long process = 0;
    std::string job;  ///< the job of Slurm: "17_3"; empty without Slurm
    bool ended = false;
    int status = 0;      ///< the exit status, after it ended
    std::string reason;  ///< why the status is not 0, in one line
};

/// The initial state of a shard of this process.
ShardState state_here();

/// A name for these tasks in `count` shards; other tasks or another number of shards have another name.
std::string plan_id(std::span<const Task> tasks, std::size_t count);

/// Throws core::MissingError if the store cannot be written. On a full disk it overwrites the existing state.
void write_state(const std::string& store, const std::string& plan, std::size_t shard, const ShardState& state);
std::optional<ShardState> read_state(const std::string& store, const std::string& plan, std::size_t shard);

/// The folder of a plan's states, scripts and logs.
std::string plan_folder(const std::string& store, const std::string& plan);

}  // namespace farfield::study
