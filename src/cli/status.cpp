#include <fmt/format.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is of POSIX

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/core/printable.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "cli/process.hpp"
#include "cli/progress.hpp"
#include "cli/shard_progress.hpp"
#include "study/manifest.hpp"
#include "study/shard_state.hpp"
#include "study/store.hpp"

namespace farfield::cli {

namespace {

struct StatusOptions {
    StudyArguments studies;
    std::string shards;  ///< how many
};

void add_status_options(CLI::App& app, StatusOptions& options) {
    add_selection(app, options.studies);
    add_store(app, options.studies);
    add_train(app, options.studies, "include the models that studies in folders need");
    app.add_option("--shards", options.shards, "number of shards that were started");
}

using study::ShardState;
using study::Task;

/// The states of Slurm's jobs by their names, "17_3": "PENDING"; nothing if Slurm cannot be queried.
std::optional<std::map<std::string, std::string>> slurm_jobs() {
    std::map<std::string, std::string> jobs;
    try {
        const Finished squeue =
            run_program({"squeue", "--noheader", "--array", "--format=%F_%K %T"}, "Slurm's commands in the PATH");
        if (squeue.status != 0) return std::nullopt;
        std::istringstream lines(squeue.output);
        for (std::string job, state; lines >> job >> state;) jobs[job] = state;
    } catch (const core::MissingError&) {
        return std::nullopt;
    }
    return jobs;
}

/// Whether a process of this host is the program.
bool is_alive(long process) {
    std::ifstream stream("/proc/" + std::to_string(process) + "/comm");
    std::string name;
    return std::getline(stream, name) && name == "farfield";
}

class States {
public:
    std::string of(const ShardState& state) {
        if (state.job.empty()) return state.ended ? ending(state) : of_process(state);
        if (!is_asked_) jobs_ = slurm_jobs();
        is_asked_ = true;
        if (!jobs_) return state.ended ? ending(state) : "started";
        const auto found = jobs_->find(state.job);
        const std::string job = found == jobs_->end() ? "" : found->second;
        // A shard that was stopped at its time limit has ended, but its job is in the queue again.
        if (job == "PENDING" || job == "REQUEUED") return "waiting";
        if (state.ended) return ending(state);
        return job.empty() ? "lost" : "running";
    }

private:
    static std::string ending(const ShardState& state) { return state.status == as_expected ? "open" : "failed"; }

    static std::string of_process(const ShardState& state) {
        if (state.host != study::host_name()) return "started";
        return is_alive(state.process) ? "running" : "lost";
    }

    bool is_asked_ = false;
    std::optional<std::map<std::string, std::string>> jobs_;
};

/// The time of finished tasks relative to the estimate, if it is recorded.
double measured_factor(const Work& work) {
    constexpr std::size_t most_read = 200;
    double estimated = 0, measured = 0;
    std::size_t read = 0;
    for (const Task& task : work.tasks) {
        if (!task.done || ++read > most_read) continue;
        const auto record = study::read_record(work.options.cache, task.id);
        if (!record || record->seconds <= 0 || task.seconds <= 0) continue;
        estimated += task.seconds;
        measured += record->seconds;
    }
    return estimated > 0 ? measured / estimated : 1;
}

}  // namespace

std::vector<ShardProgress> progress_of(const Work& work, const study::ShardPlan& plan, const std::string& id) {
    std::vector<ShardProgress> all(plan.seconds.size());
    for (std::size_t i = 0; i < work.tasks.size(); ++i) {
        ShardProgress& shard = all[plan.shard[i]];
        ++shard.tasks;
        if (work.tasks[i].done)
            ++shard.done;
        else
            shard.seconds_left += work.tasks[i].seconds;
    }
    States states;
    for (std::size_t i = 0; i < all.size(); ++i) {
        ShardProgress& shard = all[i];
        shard.index = i;
        shard.state = shard.done == shard.tasks ? "done" : "open";
        if (shard.state == "done") continue;
        const auto state = study::read_state(work.options.cache, id, i);
        if (!state) continue;
        shard.state = states.of(*state);
        if (state->ended && state->status != as_expected) shard.note = fmt::format("status {}", state->status);
        if (!state->host.empty()) shard.note += (shard.note.empty() ? "on " : " on ") + state->host;
        if (!state->job.empty()) shard.note += (shard.note.empty() ? "job " : ", job ") + state->job;
        if (!state->reason.empty()) shard.note += ": " + core::printable_line(state->reason);
    }
    return all;
}

namespace {

/// Reports other versions of the program in the store. Their shards do not count, because a task's id depends on the
/// program.
void tell_other_programs(const std::string& store) {
    for (const std::string& program : study::programs_of(store))
        if (program != study::program_identity())
            print_error("warning: the store has shards of another program, '{}', whose quantities do not count here\n",
                        program);
}

int show_status(const StatusOptions& options) {
    require_paths(options.studies, "status");
    const Work work = read_work(options.studies);
    const double factor = measured_factor(work);
    std::size_t done = 0;
    double left = 0;
    for (const Task& task : work.tasks) {
        done += task.done ? 1 : 0;
        left += task.done ? 0 : task.seconds;
    }
    if (!options.shards.empty()) {
        const std::size_t count = read_shard_count(options.shards, "--shards");
        const study::ShardPlan plan = study::plan_shards(work.tasks, count);
        std::map<std::string, std::size_t> counts;
        double longest = 0;
        for (const ShardProgress& shard : progress_of(work, plan, study::plan_id(work.tasks, count))) {
            ++counts[shard.state];
            longest = std::max(longest, shard.seconds_left);
            if (shard.state != "done")
                print("shard {:>5}  {:<8}  {:>6} of {} tasks  {:>10} left  {}\n", shard.index, shard.state, shard.done,
                      shard.tasks, duration_text(factor * shard.seconds_left), shard.note);
        }
        std::string text;
        for (const auto& [state, number] : counts)
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, state);
        print("{} shards: {}; about {} left for the longest on one core\n", count, text,
              duration_text(factor * longest));
    }
    tell_other_programs(work.options.cache);
    print("{} tasks: {} done, about {} of one core left\n", work.tasks.size(), done, duration_text(factor * left));
    return done == work.tasks.size() ? as_expected : missing;
}

}  // namespace

const Command status_command{"status", "report which tasks and shards are done, running, failed or lost",
                             declare<StatusOptions, add_status_options, show_status>};

}  // namespace farfield::cli
