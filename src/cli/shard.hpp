// Work on shards of studies: `farfield run --shard` and `--task`.
#pragma once

#include <farfield/study/study.hpp>
#include <string>
#include <vector>

#include "cli/studies.hpp"
#include "study/tasks.hpp"

namespace farfield::cli {

/// The studies of a command line and their tasks. All paths must be readable, because a plan without one of the studies
/// is another plan.
struct Work {
    study::Options options;
    std::vector<study::Study> studies;
    std::vector<study::Task> tasks;
};
/// Throws core::UserError, and core::MissingError if there is no store. The bytes of tasks are computed only on
/// request.
Work read_work(const StudyArguments& arguments, bool asks_for_memory = false);

/// The number of digits of an id in the list of tasks, which identify the task.
inline constexpr std::size_t digits_of_task = 12;

/// A number of shards, from 1 to 1000000. Throws core::UserError naming the option.
std::size_t read_shard_count(const std::string& text, const std::string& option);

/// Computes the tasks of a shard, "3/16", or one task into the store, and returns the exit status.
int run_shard(const StudyArguments& arguments, const std::string& shard, bool same_kind);
int run_task(const StudyArguments& arguments, const std::string& id, bool same_kind);

/// Throws core::UserError if a result of the studies was computed by a processor whose last bits may differ.
void refuse_other_kinds(const std::vector<study::Study>& studies, const study::Options& options);
/// Reports on standard error how many results were.
void tell_other_kinds(const std::vector<study::Study>& studies, const study::Options& options);

}  // namespace farfield::cli
