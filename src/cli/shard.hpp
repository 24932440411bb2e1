// Work on shards of studies: `farfield run --shard` and `--task`.
#pragma once

#include <farfield/study/study.hpp>
#include <string>
#include <vector>

#include "cli/studies.hpp"
#include "study/tasks.hpp"

namespace farfield::cli {

/// The studies of a command line and their tasks. All paths must be readable: a plan without one study is another plan.
struct Work {
    study::Options options;
    std::vector<study::Study> studies;
    std::vector<study::Task> tasks;
};
/// Throws core::UserError, and core::MissingError where there is no store. The bytes of tasks only if asked for.
Work read_work(const StudyArguments& arguments, bool asks_for_memory = false);

/// Digits of an id that the list of tasks shows, and that name the task.
inline constexpr std::size_t digits_of_task = 12;

/// A number of shards, from 1 to 1000000. Throws core::UserError naming the option.
std::size_t read_shard_count(const std::string& text, const std::string& option);

/// Computes the tasks of a shard, "3/16", or one task into the store, and returns the exit status.
int run_shard(const StudyArguments& arguments, const std::string& shard, bool same_kind);
int run_task(const StudyArguments& arguments, const std::string& id, bool same_kind);

/// Throws core::UserError if a result of the studies was computed by a processor whose last bits may differ.
void refuse_other_kinds(const std::vector<study::Study>& studies, const study::Options& options);
/// Tells on standard error how many were.
void tell_other_kinds(const std::vector<study::Study>& studies, const study::Options& options);

}  // namespace farfield::cli
