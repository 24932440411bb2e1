// What the shards of a plan say of themselves in the store.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "study/tasks.hpp"

namespace farfield::study {

struct ShardState {
    std::string host;
    long process = 0;
    std::string job;  ///< of Slurm: "17_3"; empty elsewhere
    bool ended = false;
    int status = 0;      ///< of the exit, once it ended
    std::string reason;  ///< why it is not 0: a line
};

/// The state of a shard of this process that has just begun.
ShardState state_here();

/// A name for these tasks in so many shards: other tasks or another number of shards have another.
std::string plan_id(std::span<const Task> tasks, std::size_t count);

/// Throws core::MissingError if the store cannot be written to. On a full disk it overwrites the state that is there.
void write_state(const std::string& store, const std::string& plan, std::size_t shard, const ShardState& state);
std::optional<ShardState> read_state(const std::string& store, const std::string& plan, std::size_t shard);

/// The folder of a plan's states, scripts and logs.
std::string plan_folder(const std::string& store, const std::string& plan);

}  // namespace farfield::study
